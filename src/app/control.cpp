#include "app/control.hpp"

#include <fmt/format.h>

namespace umavez {

std::string answer_control(Engine& engine, std::string_view line)
{
    if (line == "ping") return "pong";
    if (line == "sweep") {
        const auto swept = engine.sweep_once();
        return swept ? to_json(*swept) : "error: " + swept.error().detail;
    }
    return "error: unknown command";
}

std::string to_json(const SweepReport& report)
{
    return fmt::format(
        R"({{"records":{},"audit_entries":{}}})", report.records, report.audit_entries
    );
}

}  // namespace umavez
