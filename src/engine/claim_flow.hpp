#pragma once

// ClaimFlow: how a caller becomes the owner of a key, or learns why not. No I/O.
//
// The flow asks for one store command at a time; its driver runs it and hands the answer back:
//
//     insert_or_get → decide() → replace (takeover, re-claim, hold) → decide() on what was there instead → …
//
// A write whose fate is unknown is repeated as it was: the store waits for its own writes in flight, and a
// record that carries our execution is ours. Confined to its task.

#include "core/decide.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <optional>
#include <variant>

namespace umavez {

struct InsertStep {
    Insertion insertion;
};
struct ReplaceStep {
    Replacement replacement;
    bool holds = false;  // moves abandoned work to in_doubt instead of claiming it
};
struct PauseStep {
    Duration delay;  // then on_pause_over
};
struct OwnedStep {
    Record record;
    bool takeover = false;
};
struct AnswerStep {
    Decision decision;  // anything but Claim
    Record record;
    Instant now;
};
struct GiveUpStep {
    Error error;
};
using ClaimStep =
    std::variant<InsertStep, ReplaceStep, PauseStep, OwnedStep, AnswerStep, GiveUpStep>;

class ClaimFlow {
public:
    // The references outlive the flow.
    ClaimFlow(
        const RecordId& id,
        const Request& request,
        const Policy& policy,
        const Execution& execution,
        bool audits
    );

    const Request& request() const noexcept { return request_; }

    ClaimStep start();
    ClaimStep start_from(Record record, Instant now);  // a record that a worker just read
    ClaimStep on_found(Result<Found> found);
    ClaimStep on_replaced(Result<Replaced> replaced);
    ClaimStep on_pause_over(bool patience_is_over);

private:
    ClaimStep write_again();
    ClaimStep insert() const;
    ClaimStep replace() const;
    ClaimStep consider(Record record, Instant now);
    ClaimStep on_error(Error error);
    bool is_ours(const Record& record, Instant now) const;

    const RecordId& id_;
    const Request& request_;
    const Policy& policy_;
    const Execution execution_;
    const bool audits_;

    std::optional<Record> found_;   // what the pending replace is about; nullopt: an insert is pending
    std::optional<Claim> claim_;    // nullopt: the pending replace holds
    InDoubt held_;
    std::optional<Error> unknown_;  // a write of ours may have happened
    std::uint32_t rounds_ = 0;
    std::uint32_t repeats_ = 0;
};

}  // namespace umavez
