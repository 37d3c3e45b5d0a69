#include "engine/completion_flow.hpp"

#include "core/transition.hpp"

#include <algorithm>
#include <utility>

namespace umavez {

CompletionFlow::CompletionFlow(Replacement replacement) : replacement_(std::move(replacement)) {}

CompletionStep CompletionFlow::start() const
{
    return WriteStep{};
}

CompletionStep CompletionFlow::on_replaced(Result<Replaced> replaced)
{
    if (!replaced) {
        unknown_ = unknown_ || effect_of(replaced.error().code) == Effect::unknown;
        last_error_ = std::move(replaced).error();
        if (!is_retryable(last_error_->code)) return UnsettledStep{*last_error_};
        const auto doublings = std::min(repeats_++, 10u);
        return RepeatStep{std::min(
            Duration{std::chrono::milliseconds{500}},
            Duration{std::chrono::milliseconds{5}} * (1 << doublings)
        )};
    }
    if (replaced->done) return DoneStep{std::move(*replaced->record)};
    const std::optional<Record>& there = replaced->record;
    if (there && is_same_completion(*there, replacement_.expected.token, replacement_.next)) {
        return DoneStep{*there};
    }
    return FencedStep{there, replaced->now};
}

CompletionStep CompletionFlow::on_pause_over(bool patience_is_over) const
{
    if (!patience_is_over) return WriteStep{};
    Error error = *last_error_;
    if (unknown_) error.code = Errc::store_unknown;
    return UnsettledStep{std::move(error)};
}

}  // namespace umavez
