#pragma once

// Draft: a record on its way into a store, with durations where the record has instants.
//
// Time belongs to the store, so whoever composes a write cannot know its instants. A store turns a draft
// into a record with to_record() at the moment of writing, under its own clock. A plain value.

#include <umavez/record.hpp>

#include <cstdint>
#include <optional>

namespace umavez {

struct Draft {
    Target target;
    Fingerprint fingerprint;
    Status status = Status::processing;
    bool final = false;
    Mode mode = Mode::run;
    bool raise_epoch = false;  // a claim, or an operator's write that fences a late owner
    Execution execution{};
    std::uint32_t attempts = 0;
    std::uint32_t takeovers = 0;
    std::optional<Duration> retry_in;
    std::optional<StoredResponse> response;
    std::string checkpoint;
    std::optional<Instant> created_at;  // nullopt: a lifetime that begins with this write
    std::optional<Duration> lease;      // sets processing_expires_at
    std::optional<Duration> expires_in; // sets expires_at; nullopt: none
};

// The conditions of a replace. All must hold, judged by the store in the same step as the write.
struct Expected {
    FencingToken token;

    // One bit per Status.
    std::uint8_t statuses = 0;

    // What a bystander read: a heartbeat in between makes the write fail. Owners leave it out.
    std::optional<std::optional<Instant>> processing_expires_at;

    // For takeovers: the lease ended at least this long ago, by the store's clock.
    std::optional<Duration> lease_over_for;
};

constexpr std::uint8_t bit(Status status) noexcept
{
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(status));
}

// max(previous + 1, the store's clock): it never repeats, not even after the record was swept.
std::int64_t next_epoch(std::int64_t previous, Instant now) noexcept;

// `previous` is null when the draft is inserted.
Record to_record(const Draft& draft, const Record* previous, Instant now);
Record to_record(Draft&& draft, const Record* previous, Instant now);

// The same in the place of the previous record, all but the response: that of `record` stays.
void rewrite(Record& record, Draft&& draft, Instant now);

bool matches(const Record& record, const Expected& expected, Instant now) noexcept;

}  // namespace umavez
