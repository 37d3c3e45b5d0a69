#include "engine/completion_flow.hpp"

#include "core/transition.hpp"
#include "engine/repeat_delay.hpp"

#include <utility>

namespace umavez {

CompletionStep CompletionFlow::on_replaced(Replaced&& replaced)
{
    there_ = std::move(replaced.record);
    if (replaced.done) return DoneStep{};
    const bool is_ours =
        there_ && is_same_completion(*there_, write_.expected.token, change().next);
    if (is_ours) return DoneStep{};
    return FencedStep{replaced.now};
}

CompletionStep CompletionFlow::on_error(Error error)
{
    is_unknown_ = is_unknown_ || effect_of(error.code) == Effect::unknown;
    error_ = std::move(error);
    if (!is_retryable(error_->code)) return give_up();
    return RepeatStep{repeat_delay(repeats_++)};
}

CompletionStep CompletionFlow::on_pause_over(bool patience_is_over)
{
    if (!patience_is_over) return WriteStep{};
    return give_up();
}

CompletionStep CompletionFlow::give_up()
{
    // Whatever came last: an earlier attempt may have been written.
    if (is_unknown_) error_->code = Errc::store_unknown;
    return UnsettledStep{};
}

Change CompletionFlow::change() const
{
    Change change{write_.expected, write_.draft, write_.audit};
    if (write_.response != nullptr) {
        change.next.response = to_stored(*write_.response, write_.response_bytes_max);
    }
    return change;
}

}  // namespace umavez
