#pragma once

// ClaimFlow: how a caller becomes the owner of a key, or learns why not. No I/O.
//
// The flow asks for one store command at a time; its driver runs it and hands the answer back. Steps are
// small; the record and the writes they speak of stay in the flow, because records are large:
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

struct InsertStep {};    // flow.insertion()
struct ReplaceStep {     // flow.change()
    bool holds = false;  // moves abandoned work to in_doubt instead of claiming it
};
struct PauseStep {
    Duration delay;  // then on_pause_over
};
struct OwnedStep {  // flow.record()
    bool takeover = false;
};
struct AnswerStep {     // flow.record()
    Decision decision;  // Replay, InProgress, InDoubt or Mismatch
};
struct GiveUpStep {};  // flow.error()
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

    ClaimStep start() const { return InsertStep{}; }
    ClaimStep start_from(Record record, Instant now);  // a record that a worker just read
    ClaimStep on_found(Found&& found);
    ClaimStep on_replaced(Replaced&& replaced);
    ClaimStep on_error(Error error);  // the store's, instead of an answer
    ClaimStep on_pause_over(bool patience_is_over);

    // Composed for every attempt: a store consumes what it writes.
    Insertion insertion() const;
    Change change() const;

    Record& record() noexcept { return *record_; }
    const Error& error() const noexcept { return *error_; }

    // As far as anybody could see, nobody runs or ran under this key, and no write of ours may have happened.
    bool is_key_free() const noexcept;

private:
    ClaimStep write_again() const;
    ClaimStep consider(Instant now);
    bool is_ours(Instant now) const;

    const RecordId& id_;
    const Request& request_;
    const Policy& policy_;
    const Execution execution_;
    const bool audits_;

    std::optional<Record> record_;  // as the store showed it last; nullopt: an insert is pending
    std::optional<Claim> claim_;    // nullopt: the pending replace holds
    InDoubt held_;
    std::optional<Error> error_;
    bool is_unknown_ = false;       // a write of ours may have happened
    std::uint32_t rounds_ = 0;
    std::uint32_t repeats_ = 0;
};

}  // namespace umavez
