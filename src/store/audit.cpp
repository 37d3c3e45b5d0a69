#include "store/audit.hpp"

#include "base/limits.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace umavez {
namespace {

// In the order of AuditEvent.
constexpr std::array<std::string_view, 14> names = {
    "claimed", "executed",   "replayed", "in_progress", "mismatch", "mismatch_ignored", "taken_over",
    "reconciled", "in_doubt", "resolved", "released",    "fenced",   "expired",          "remarked",
};
static_assert(names.size() == static_cast<std::size_t>(AuditEvent::remarked) + 1);

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

AuditNote make_note(AuditEvent event, std::string detail, std::int64_t epoch)
{
    if (detail.size() > limits::audit_detail_bytes_max) {
        std::size_t size = limits::audit_detail_bytes_max;
        // Back to where a character of UTF-8 begins.
        while (size > 0 && (static_cast<unsigned char>(detail[size]) & 0xc0) == 0x80) --size;
        detail.resize(size);
    }
    return {event, std::move(detail), epoch};
}

}  // namespace umavez
