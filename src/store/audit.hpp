#pragma once

// Audit: one entry per decision, so that `explain KEY` can tell the story of a key. Plain values.

#include <umavez/record.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez {

enum class AuditEvent : std::uint8_t {
    claimed,
    executed,
    replayed,
    in_progress,
    mismatch,
    mismatch_ignored,
    taken_over,
    reconciled,
    in_doubt,
    resolved,
    released,
    fenced,
    expired,
};

std::string_view to_text(AuditEvent event) noexcept;
std::optional<AuditEvent> parse_audit_event(std::string_view text) noexcept;

// What the engine says; the store adds when, and under which token.
struct AuditNote {
    AuditEvent event = AuditEvent::claimed;
    std::string detail;  // a reason, at most limits::audit_detail_bytes_max
};

// The one text that is cut instead of refused, at the end of a character: what it tells happened anyway.
AuditNote make_note(AuditEvent event, std::string detail);

struct AuditEntry {
    RecordId id;
    Instant at;
    AuditEvent event = AuditEvent::claimed;
    FencingToken token;  // of the record as written; zero where the record was not read
    std::string detail;
};

}  // namespace umavez
