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

struct WriteStep {};  // flow.replacement()
struct RepeatStep {
    Duration delay;  // then on_pause_over
};
struct DoneStep {
    Record record;
};
struct FencedStep {
    std::optional<Record> there;
    Instant now;
};
struct UnsettledStep {
    Error error;
};
using CompletionStep =
    std::variant<WriteStep, RepeatStep, DoneStep, FencedStep, UnsettledStep>;

class CompletionFlow {
public:
    explicit CompletionFlow(Replacement replacement);

    const Replacement& replacement() const noexcept { return replacement_; }

    CompletionStep start() const;
    CompletionStep on_replaced(Result<Replaced> replaced);
    CompletionStep on_pause_over(bool patience_is_over) const;

private:
    Replacement replacement_;
    std::optional<Error> last_error_;
    bool unknown_ = false;
    std::uint32_t repeats_ = 0;
};

}  // namespace umavez
