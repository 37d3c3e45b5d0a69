#include "telemetry/log.hpp"

#include "base/json_text.hpp"
#include "base/rfc3339.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <unistd.h>

namespace umavez {
namespace {

constexpr std::size_t text_bytes_max = 512;
constexpr std::size_t line_bytes_usual = 512;

std::string_view to_text(LogLevel level) noexcept
{
    switch (level) {
        case LogLevel::debug: return "debug";
        case LogLevel::info: return "info";
        case LogLevel::warning: return "warning";
        case LogLevel::error: return "error";
    }
    return "error";
}

struct AppendValue {
    std::string& line;

    void operator()(bool value) const { line += value ? "true" : "false"; }
    void operator()(std::int64_t value) const { line += std::to_string(value); }
    void operator()(double value) const
    {
        if (std::isfinite(value)) {
            fmt::format_to(std::back_inserter(line), "{}", value);
        } else {
            line += "null";
        }
    }
    void operator()(std::string_view value) const { append_json_text(line, value, text_bytes_max); }
};

std::string tell_loss(std::size_t lines)
{
    const std::array<LogField, 1> fields{{{"lines", lines}}};
    return to_log_line(system_clock().realtime(), LogLevel::warning, "log_lines_dropped", fields);
}

}  // namespace

Log::Log(LogLevel level) : level_(level), writer_(STDERR_FILENO, tell_loss) {}

LogFieldsText::LogFieldsText(std::span<const LogField> fields)
{
    text_.reserve(line_bytes_usual);
    for (const LogField& field : fields) {
        text_.append(",\"").append(field.name).append("\":");
        std::visit(AppendValue{text_}, field.value);
    }
}

void Log::write(LogLevel level, std::string_view event, std::span<const LogField> fields)
{
    if (writes(level)) write(level, event, LogFieldsText{fields});
}

void Log::write(LogLevel level, std::string_view event, const LogFieldsText& fields)
{
    if (writes(level)) writer_.put(to_log_line(system_clock().realtime(), level, event, fields));
}

std::string to_log_line(
    Instant now, LogLevel level, std::string_view event, const LogFieldsText& fields
)
{
    std::string line;
    line.reserve(line_bytes_usual);
    line += R"({"time":")";
    line += to_rfc3339(now);
    line += R"(","level":")";
    line += to_text(level);
    line += R"(","event":)";
    append_json_text(line, event, text_bytes_max);
    line += fields.text();
    line += '}';
    return line;
}

std::string to_log_line(
    Instant now, LogLevel level, std::string_view event, std::span<const LogField> fields
)
{
    return to_log_line(now, level, event, LogFieldsText{fields});
}

}  // namespace umavez
