#include "modules/mailing/sending.hpp"

#include "modules/mailing/verdict_rules.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace umavez::mailing {

Sending::Sending(SendingRules rules, Incerteza incerteza, Rate& rate, Random& random)
    : rules_(std::move(rules)), incerteza_(incerteza), rate_(rate), random_(random)
{
}

// The order of the lines is the precedence.
SendingStep Sending::next(Duration now, std::optional<Duration> alive_at)
{
    if (end_) return *end_;
    if (store_failures_ > 0 && now < wait_until_) return Wait{wait_until_};
    if (is_leaving()) return leave_now();
    if (takes_back_) return mark();
    if (now < wait_until_) {
        if (now - looked_at_ >= rules_.look_period) return Look{};
        return Wait{std::min(wait_until_, looked_at_ + rules_.look_period)};
    }
    if (is_marked_out_) return Finish{};
    if (batch_.empty()) return mark();
    if (!place_) place_ = rate_.reserve(now);
    if (now < *place_) {
        wait_until_ = *place_;
        return next(now, alive_at);
    }
    // Somebody of this batch may have unsubscribed since it was marked, or the mailing been paused.
    if (now - marked_at_ >= rules_.look_period || !is_alive(now, alive_at)) {
        collects_ = true;  // finds the rest of this batch again
        return mark();
    }
    return HandOver{batch_.front()};
}

bool Sending::is_leaving() const noexcept
{
    return is_stopping_ || is_paused_ || later_ || failure_;
}

bool Sending::is_alive(Duration now, std::optional<Duration> alive_at) const
{
    const Duration margin = rules_.margin.value_or(rules_.lock_timeout / 6);
    return alive_at && now - *alive_at < rules_.lock_timeout - margin;
}

SendingStep Sending::mark()
{
    return Mark{
        {.results = results_,
         .batch = takes_back_ ? 0 : rules_.batch,
         .collects = collects_,
         .attempts_max = rules_.retry.attempts_max,
         .trouble = trouble_}
    };
}

SendingStep Sending::leave_now() const
{
    Leave step{.results = results_, .next = Status::queued, .error = trouble_};
    if (failure_) {
        step.next = Status::failed;
        step.error = failure_;
    }
    return LeaveNow{std::move(step)};
}

void Sending::on_marked(const Result<Marked>& marked, Duration now)
{
    if (!marked) {
        // An unanswered commit may have marked entries, and they are not to be marked twice.
        collects_ = true;
        if (marked.error().code == Errc::lease_lost) {
            is_paused_ = true;
        } else {
            wait_for_store(marked.error(), now);
        }
        return;
    }
    store_failures_ = 0;
    collects_ = false;
    results_.clear();
    looked_at_ = marked_at_ = now;
    batch_.assign(marked->entries.begin(), marked->entries.end());
    if (std::exchange(takes_back_, false)) {
        wait_until_ = now + retry_delay(rules_.server, server_failures_, draw());
        return;
    }
    if (!batch_.empty() || marked->dropped > 0) return;
    if (!marked->due_in) {
        is_marked_out_ = true;
    } else if (*marked->due_in > rules_.wait_most) {
        later_ = std::min(*marked->due_in, rules_.held_most);
    } else {
        wait_until_ = now + *marked->due_in;
    }
}

void Sending::on_delivered(const mail::Delivered& delivered)
{
    const MarkedEntry entry = std::move(batch_.front());
    batch_.pop_front();
    place_.reset();
    results_.push_back(to_result(entry, delivered, incerteza_, rules_.retry, draw()));
    if (is_stopping_ && delivered.verdict == mail::Verdict::unreachable) {
        results_.back().error.reset();  // our own stop gave it up, not the server
        return;
    }
    if (!is_server_trouble(delivered.verdict)) {
        server_failures_ = 0;
        trouble_.reset();
        return;
    }
    ++server_failures_;
    trouble_ = delivered.detail;
    takes_back_ = true;
}

void Sending::on_unreadable(std::string why)
{
    EntryResult result{.entry_id = batch_.front().id, .status = EntryStatus::failed};
    result.counts = false;
    result.error = std::move(why);
    results_.push_back(std::move(result));
    batch_.pop_front();  // its place in the rate is the next one's
}

void Sending::on_looked(const Result<bool>& may_go_on, Duration now)
{
    looked_at_ = now;  // a database that cannot be read is noticed where something is written
    if (may_go_on && !*may_go_on) is_paused_ = true;
}

void Sending::on_left(const Result<bool>& left, Duration now)
{
    if (!left) {
        if (!is_retryable(left.error().code)) return give_up();
        return wait_for_store(left.error(), now);
    }
    if (!*left) return give_up();
    results_.clear();
    if (failure_) {
        end_ = Over{.end = SendingEnd::failed};
    } else if (is_paused_) {
        end_ = Over{.end = SendingEnd::left};
    } else if (is_stopping_) {
        end_ = Over{.end = SendingEnd::stopped};
    } else {
        end_ = Over{.end = SendingEnd::put_aside, .later = later_.value_or(Duration{0})};
    }
}

void Sending::on_finished(const Result<void>& finished, Duration now)
{
    if (finished) {
        end_ = Over{.end = SendingEnd::completed};
    } else if (finished.error().code == Errc::lease_lost) {
        is_paused_ = true;
    } else {
        wait_for_store(finished.error(), now);
    }
}

void Sending::fail(std::string why)
{
    failure_ = std::move(why);
}

// What may pass is tried again for as long as the lock is ours; what may not ends the mailing.
void Sending::wait_for_store(const Error& error, Duration now)
{
    if (!is_retryable(error.code)) return fail(store_failure_sentence);
    ++store_failures_;
    wait_until_ = now + retry_delay(rules_.store, store_failures_, draw());
}

double Sending::draw()
{
    constexpr std::uint64_t steps = std::uint64_t{1} << 53;
    return static_cast<double>(uniform(random_, steps)) / static_cast<double>(steps);
}

}  // namespace umavez::mailing
