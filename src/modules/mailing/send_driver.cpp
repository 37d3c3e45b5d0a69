#include "modules/mailing/send_driver.hpp"

#include "base/fault_point.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace umavez::mailing {

SendDriver::SendDriver(
    const RunParts& parts,
    mail::Transport& transport,
    const Letters& letters,
    const Locked& locked,
    HeldLock& held
)
    : parts_(parts),
      transport_(transport),
      letters_(letters),
      locked_(locked),
      held_(held),
      sending_(parts.rules, locked.mailing.incerteza, parts.rate, parts.random)
{
}

Over SendDriver::run(const std::stop_token& stop)
{
    stop_ = stop;
    while (!over_) {
        stop_if_told();
        if (stopping_since_ && now() - *stopping_since_ > parts_.stop_grace) sending_.give_up();
        const SendingStep step = sending_.next(now(), held_.alive_at());
        std::visit([this](const auto& one) { on(one); }, step);
    }
    return *over_;
}

void SendDriver::stop_if_told()
{
    if (!stop_.stop_requested()) return;
    sending_.stop();
    if (!stopping_since_) stopping_since_ = now();
}

void SendDriver::tell(const MailingEvent& event) const
{
    if (parts_.on_event) parts_.on_event(event);
}

void SendDriver::tell_fault(std::string detail) const
{
    tell(MailingFault{locked_.mailing.uuid, locked_.mailing.tenant_id, std::move(detail)});
}

void SendDriver::note(const Error& error) const
{
    if (!is_retryable(error.code) && error.code != Errc::lease_lost) tell_fault(error.detail);
}

void SendDriver::on(const Mark& step)
{
    const Duration began = now();
    Result<Marked> marked = Marked{};
    const auto done = parts_.database.transact([&](Transaction& transaction) -> Result<void> {
        marked = advance(transaction, held_.owner(), step.step);
        if (!marked) return std::unexpected(marked.error());
        return {};
    });
    if (done) {
        held_.confirm(began);
    } else {
        note(done.error());
        marked = std::unexpected(done.error());
    }
    sending_.on_marked(marked, now());
}

void SendDriver::on(const HandOver& step)
{
    if (!letter_ || letter_entry_ != step.entry.id) {
        auto letter = letters_.write(step.entry, parts_.clock.realtime());
        if (!letter) return sending_.on_unreadable(letter.error());
        letter_ = *std::move(letter);
        letter_entry_ = step.entry.id;
        return;  // the same step comes again, unless the time for it is over
    }
    const Letter letter = *std::exchange(letter_, std::nullopt);
    const Duration began = now();
    const mail::Delivered delivered = hand_over(letter);
    stop_if_told();  // before the verdict is judged: the stop may be its cause
    const bool was_away = sending_.trouble().has_value();
    sending_.on_delivered(delivered);
    const Mailing& mailing = locked_.mailing;
    tell(MailHandedOver{.uuid = mailing.uuid, .verdict = delivered.verdict, .took = now() - began});
    const bool is_away = sending_.trouble().has_value();
    if (is_away && !was_away)
        tell(MailServerAway{mailing.uuid, mailing.tenant_id, *sending_.trouble()});
    if (was_away && !is_away) tell(MailServerBack{mailing.uuid, mailing.tenant_id});
}

// What was thrown leaves open whether the message was taken.
mail::Delivered SendDriver::hand_over(const Letter& letter)
{
    try {
        strike(FaultPoint::handler_before_effect);
        mail::Delivered delivered = transport_.send(letter.envelope, letter.content, stop_);
        strike(FaultPoint::handler_after_effect);
        return delivered;
    } catch (const std::exception& thrown) {
        tell_fault(thrown.what());
        return {.verdict = mail::Verdict::unknown, .detail = thrown_sentence};
    }
}

void SendDriver::on(const Wait& step)
{
    parts_.pause(std::max(step.until - now(), Duration{0}), stop_);
}

void SendDriver::on(const Look&)
{
    Result<bool> goes_on = true;
    const auto read = parts_.database.read([&](Transaction& transaction) -> Result<void> {
        goes_on = may_go_on(transaction, held_.owner());
        if (!goes_on) return std::unexpected(goes_on.error());
        return {};
    });
    if (!read) goes_on = std::unexpected(read.error());
    sending_.on_looked(goes_on, now());
}

void SendDriver::on(const LeaveNow& step)
{
    Result<bool> left = false;
    const auto done = parts_.database.transact([&](Transaction& transaction) -> Result<void> {
        left = leave(transaction, held_.owner(), step.step);
        if (!left) return std::unexpected(left.error());
        return {};
    });
    if (!done) {
        note(done.error());
        left = std::unexpected(done.error());
    }
    sending_.on_left(left, now());
}

void SendDriver::on(const Finish&)
{
    const auto done = parts_.database.transact([&](Transaction& transaction) {
        return finish(transaction, held_.owner());
    });
    if (!done) note(done.error());
    sending_.on_finished(done, now());
}

}  // namespace umavez::mailing
