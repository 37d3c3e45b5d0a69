#include "store/audit.hpp"

#include <array>
#include <cstddef>

namespace umavez {
namespace {

// In the order of AuditEvent.
constexpr std::array<std::string_view, 13> names = {
    "claimed", "executed",   "replayed", "in_progress", "mismatch", "mismatch_ignored", "taken_over",
    "reconciled", "in_doubt", "resolved", "released",    "fenced",   "expired",
};
static_assert(names.size() == static_cast<std::size_t>(AuditEvent::expired) + 1);

}  // namespace

std::string_view to_text(AuditEvent event) noexcept
{
    return names[static_cast<std::size_t>(event)];
}

std::optional<AuditEvent> parse_audit_event(std::string_view text) noexcept
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == text) return static_cast<AuditEvent>(i);
    }
    return std::nullopt;
}

}  // namespace umavez
