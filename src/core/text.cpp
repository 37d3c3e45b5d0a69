#include "base/digest.hpp"

#include <umavez/outcome.hpp>
#include <umavez/policy.hpp>
#include <umavez/record.hpp>

namespace umavez {

std::string_view to_text(Guarantee guarantee) noexcept
{
    switch (guarantee) {
        case Guarantee::atomic: return "atomic";
        case Guarantee::leased: return "leased";
        case Guarantee::cached: return "cached";
    }
    return "unknown";
}

std::string_view to_text(Status status) noexcept
{
    switch (status) {
        case Status::processing: return "processing";
        case Status::succeeded: return "succeeded";
        case Status::failed: return "failed";
        case Status::in_doubt: return "in_doubt";
    }
    return "unknown";
}

std::string_view to_text(Mode mode) noexcept
{
    return mode == Mode::run ? "run" : "reconcile";
}

std::string_view to_text(const Outcome& outcome) noexcept
{
    static constexpr std::string_view names[] = {"executed", "replayed",    "in_progress", "mismatch",
                                                 "in_doubt", "unavailable", "unkeyed"};
    return names[outcome.index()];
}

std::string effect_key_of(const RecordId& id)
{
    Hasher hasher;
    hasher.part("umavez effect key 1");
    hasher.part(id.tenant_id.text());
    hasher.part(id.operation.text());
    hasher.part(id.key.text());
    return "uv1_" + to_hex(hasher.finish()).substr(0, 40);
}

}  // namespace umavez
