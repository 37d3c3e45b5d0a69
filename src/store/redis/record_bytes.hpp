#pragma once

// Records to the bytes of a Redis value and back. The scripts write the head (scripts/prelude.lua),
// for it holds instants of the server's clock; the body is written and read here alone.
//
// Whatever comes out of the server is checked: bytes that no version of this program wrote are
// corrupt_record, never a guess and never a crash. Thread-safe.

#include "core/draft.hpp"
#include "store/audit.hpp"

#include <umavez/record.hpp>
#include <umavez/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// What the scripts compare to know that a record is the one that was read: the bytes before its
// body's size.
inline constexpr std::size_t redis_head_first = 1;
inline constexpr std::size_t redis_head_bytes = 57;

// Execution, size of the body, body.
std::string encode_tail(const RecordId& id, const Draft& draft);

// Epoch and execution, as they lie in the head.
std::string encode_token(const FencingToken& token);

// Event and detail.
std::string encode_note(const AuditNote& note);

// How soon a sweep should look at a record that is written like this; nullopt: never. A run expires
// one retention after its lease, its completion one retention after it was written: the earlier
// time is queued with the claim, so that the completion need not be.
std::optional<Duration> queue_in(
    Status status, Mode mode, std::optional<Duration> lease, std::optional<Duration> expires_in
) noexcept;

// A record with its identity; the story behind it is left alone.
Result<NamedRecord> decode_record(std::string_view value);
// Of the first 640 bytes: all but checkpoint and response.
Result<NamedRecord> decode_brief(std::string_view value);
// The last `count_max` entries, oldest first.
Result<std::vector<AuditEntry>> decode_story(
    const RecordId& id, std::string_view value, std::size_t count_max
);

}  // namespace umavez
