#pragma once

// Audit: what was decided, so that `explain KEY` can tell the story of a key. One entry per decision, but for
// those that changed nothing and came many at once (note_queue.hpp). Plain values.

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
    remarked,
};

std::string_view to_text(AuditEvent event) noexcept;
std::optional<AuditEvent> parse_audit_event(std::string_view text) noexcept;

// What the engine says; the store adds when, and, to a change, the token that it writes.
struct AuditNote {
    AuditEvent event = AuditEvent::claimed;
    std::string detail;      // a reason, at most limits::audit_detail_bytes_max
    std::int64_t epoch = 0;  // where nothing changes: of the record that was met; 0: none was read
};

// The one text that is cut instead of refused, at the end of a character: what it tells happened anyway.
AuditNote make_note(AuditEvent event, std::string detail, std::int64_t epoch = 0);

struct AuditEntry {
    RecordId id;
    Instant at;
    AuditEvent event = AuditEvent::claimed;
    // Of the record as written; where nothing was, the epoch of the record that was met, or zero.
    FencingToken token;
    std::string detail;
};

}  // namespace umavez
