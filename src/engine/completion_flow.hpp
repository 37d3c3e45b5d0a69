#pragma once

// CompletionFlow: an owner's write (finish, fail, doubt, release, save, back to run) until its fate is known.
// No I/O.
//
// The write is conditional on the owner's token. Found already there it counts as done; found otherwise the
// owner is fenced. While the store is down or silent the same write is repeated as long as there is
// patience: the effect has happened, and giving up early would only leave it in doubt. Confined to its task.

#include "store/store.hpp"

#include <cstdint>
#include <optional>
#include <variant>

namespace umavez {

struct WriteStep {};  // flow.change()
struct RepeatStep {
    Duration delay;  // then on_pause_over
};
struct DoneStep {};    // flow.there(): as written
struct FencedStep {    // flow.there(): what is there instead
    Instant now;
};
struct UnsettledStep {};  // flow.error()
using CompletionStep =
    std::variant<WriteStep, RepeatStep, DoneStep, FencedStep, UnsettledStep>;

// What the owner writes. The response stays with the owner, who answers with it, and is copied into the
// draft when that is sent.
struct OwnerWrite {
    Expected expected;
    Draft draft;
    const Response* response = nullptr;  // null: the write has none
    std::size_t response_bytes_max = 0;
    std::optional<AuditNote> audit;
};

class CompletionFlow {
public:
    // `write` outlives the flow.
    explicit CompletionFlow(const OwnerWrite& write) : write_(write) {}

    CompletionStep start() const { return WriteStep{}; }
    CompletionStep on_replaced(Replaced&& replaced);
    CompletionStep on_error(Error error);  // the store's, instead of an answer
    CompletionStep on_pause_over(bool patience_is_over);

    // Composed for every attempt: a store consumes what it writes.
    Change change() const;

    std::optional<Record>& there() noexcept { return there_; }
    const Error& error() const noexcept { return *error_; }

private:
    CompletionStep give_up();

    const OwnerWrite& write_;
    std::optional<Record> there_;
    std::optional<Error> error_;
    bool is_unknown_ = false;  // a write of ours may have happened
    std::uint32_t repeats_ = 0;
};

}  // namespace umavez
