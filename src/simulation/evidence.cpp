#include "simulation/evidence.hpp"

#include <array>

namespace umavez::simulation {

std::string_view to_text(Ending ending) noexcept
{
    static constexpr std::array<std::string_view, 11> names = {
        "running",  "executed",    "not_kept", "replayed", "in_progress", "mismatch",
        "in_doubt", "unavailable", "unknown",  "failed",   "dropped",
    };
    return names[static_cast<std::size_t>(ending)];
}

std::string name_of(const RecordId& id)
{
    return id.tenant_id.text() + "/" + id.operation.text() + "/" + id.key.text();
}

}  // namespace umavez::simulation
