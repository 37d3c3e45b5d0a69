#include "messaging/broker/outgoing_line.hpp"

#include "base/random_unit.hpp"
#include "messaging/broker/publisher.hpp"
#include "work/retry_delay.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace umavez::messaging {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration heartbeat_period =
    milliseconds{500};  // librabbitmq serves them when it is called
constexpr Duration stop_grace = seconds{2};
constexpr Duration bad_queue_period = seconds{5};
constexpr int published_at_once = 64;  // then the confirmations are read
constexpr Duration first_retry = milliseconds{200};
constexpr Duration thrown_pause = seconds{1};

Letter letter_of(const TakenMessage& message)
{
    return {
        .message_id = message.message_id,
        .tenant = message.tenant,
        .aggregate = message.aggregate,
        .type = message.type,
        .data = message.data,
        .created_at = message.created_at,
    };
}

}  // namespace

OutgoingLine::OutgoingLine(
    BrokerAddress address,
    BrokerOptions options,
    const Clock& clock,
    std::function<void()> on_change
)
    : address_(std::move(address)),
      options_(std::move(options)),
      clock_(clock),
      on_change_(std::move(on_change)),
      thread_([this](const std::stop_token& stop) { run(stop); })
{
}

OutgoingLine::~OutgoingLine()
{
    stop();
}

void OutgoingLine::stop()
{
    thread_.request_stop();
    wakeup_.wake();
    if (thread_.joinable()) thread_.join();
}

void OutgoingLine::carry(std::vector<Carried> messages)
{
    if (messages.empty()) return;
    {
        const std::lock_guard guard{mutex_};
        for (Carried& one : messages) inbox_.push_back(std::move(one));
    }
    wakeup_.wake();
}

std::vector<Ended> OutgoingLine::take_ended()
{
    const std::lock_guard guard{mutex_};
    return std::exchange(ended_, {});
}

bool OutgoingLine::is_open() const
{
    const std::lock_guard guard{mutex_};
    return is_open_;
}

std::optional<std::string> OutgoingLine::take_trouble()
{
    const std::lock_guard guard{mutex_};
    return std::exchange(trouble_, std::nullopt);
}

void OutgoingLine::run(const std::stop_token& stop)
{
    while (!stop.stop_requested()) {
        guarded([&] { pass(stop); });
    }
    guarded([&] { finish(); });
}

void OutgoingLine::pass(const std::stop_token& stop)
{
    if (!publisher_) connect(stop);
    accept();
    if (publisher_) step();
}

// What was thrown costs the connection, not the process. Nobody knows what is outstanding: it is published
// again, with its id.
void OutgoingLine::guarded(const std::function<void()>& act)
{
    try {
        act();
    } catch (const std::exception& thrown) {
        note_trouble(fmt::format("messages could not be published: {}", thrown.what()));
        publisher_.reset();
        for (const auto& [ticket, one] : carried_) waiting_.insert(ticket);
        publish_state(false);
        wakeup_.wait({}, thrown_pause);
    }
}

// Waits after a failure, between 0 and a bound that doubles: processes that lost their broker together do
// not come back together.
void OutgoingLine::connect(const std::stop_token& stop)
{
    auto opened = Publisher::open(address_, options_, "umavez relay", clock_);
    if (opened) {
        failures_ = 0;
        queues_.clear();
        publisher_ = std::make_unique<Publisher>(*std::move(opened));
        return publish_state(true);
    }
    note_trouble(fmt::format("no connection to the broker: {}", to_text(opened.error())));
    const work::RetryRule rule{.first = first_retry, .longest = options_.retry_longest};
    const Duration pause = work::retry_delay(rule, ++failures_, unit(system_random()));
    const Duration until = clock_.boottime() + pause;
    while (!stop.stop_requested() && clock_.boottime() < until) {
        wakeup_.wait({}, until - clock_.boottime());
        accept();
        give_back_late();
    }
}

void OutgoingLine::step()
{
    publish_some();
    collect();
    if (publisher_->loss()) return on_loss();
    publish_state(!publisher_->is_blocked());
    if (publisher_->is_blocked())
        note_trouble("the broker takes no messages: " + publisher_->blocked_reason());
    const bool may_publish = careful_ == 0 || publisher_->outstanding() == 0;
    const bool has_work = !waiting_.empty() && publisher_->has_room() && may_publish;
    if (has_work || publisher_->connection().has_read_ahead()) return;
    give_back_late();
    wakeup_.wait({publisher_->connection().descriptor()}, heartbeat_period);
}

void OutgoingLine::accept()
{
    std::vector<Carried> came;
    {
        const std::lock_guard guard{mutex_};
        came = std::exchange(inbox_, {});
    }
    for (Carried& one : came) {
        waiting_.insert(++last_ticket_);
        carried_.emplace(last_ticket_, std::move(one));
    }
}

void OutgoingLine::publish_some()
{
    for (int i = 0; i < published_at_once && !waiting_.empty(); ++i) {
        if (!publisher_->has_room()) return;
        if (careful_ > 0 && publisher_->outstanding() > 0) return;
        if (!publish_next()) return;
    }
}

// False: the connection is of no use any more.
bool OutgoingLine::publish_next()
{
    const std::uint64_t ticket = *waiting_.begin();
    const TakenMessage& message = carried_.at(ticket).message;
    // Read anew each time: this process may have been stopped since the last one.
    if (clock_.boottime() >= carried_.at(ticket).until) {
        end(ticket, Ending::unbegun);
        return true;
    }
    std::string why;
    if (!is_declared(message.queue, why)) {
        if (publisher_->loss()) return false;
        end(ticket, Ending::put_off, std::move(why));
        return true;
    }
    waiting_.erase(ticket);
    if (careful_ > 0) --careful_;
    const Names names{options_.prefix};
    publisher_->publish(ticket, names.route_of(message.queue, message.type), letter_of(message));
    return true;
}

bool OutgoingLine::is_declared(const std::string& queue, std::string& why)
{
    const auto known = queues_.find(queue);
    if (known != queues_.end()) {
        if (!known->second) return true;
        why = known->second->why;
        if (clock_.boottime() < known->second->until) return false;
    }
    const auto declared = declare_queue(publisher_->connection(), options_, queue);
    if (declared) {
        queues_[queue] = std::nullopt;
        return true;
    }
    why = declared.error().detail;
    note_trouble(why);
    if (declared.error().code == Errc::misconfigured) {
        queues_[queue] = BadQueue{why, clock_.boottime() + bad_queue_period};
    } else {
        publisher_->lose({0, why});
    }
    return false;
}

void OutgoingLine::collect()
{
    publisher_->read();
    for (const Settled& settled : publisher_->take_settled()) on_settled(settled);
}

void OutgoingLine::on_settled(const Settled& settled)
{
    switch (settled.fate) {
        case Fate::confirmed: return end(settled.ticket, Ending::published);
        case Fate::nacked:
        case Fate::returned:
            tell_failure(settled);
            return end(settled.ticket, Ending::failed, settled.why);
        case Fate::refused: return end(settled.ticket, Ending::refused, settled.why);
        case Fate::unknown: waiting_.insert(settled.ticket); return;  // again, with its id
    }
}

void OutgoingLine::tell_failure(const Settled& settled)
{
    const auto found = carried_.find(settled.ticket);
    if (found == carried_.end()) return;
    const TakenMessage& message = found->second.message;
    note_trouble(fmt::format(
        "message {} of queue {} was not published and is tried again: {}",
        message.message_id,
        message.queue,
        settled.why
    ));
}

void OutgoingLine::on_loss()
{
    const Refusal& loss = *publisher_->loss();
    note_trouble(fmt::format("the connection to the broker was lost: {}", to_text(loss)));
    // What waits is not all suspect, but the suspects have the lowest tickets.
    if (loss.code == reply_code::precondition_failed) careful_ = waiting_.size();
    publish_state(false);
    publisher_.reset();
}

void OutgoingLine::give_back_late()
{
    const Duration now = clock_.boottime();
    std::vector<std::uint64_t> late;
    for (const std::uint64_t ticket : waiting_) {
        if (now >= carried_.at(ticket).until) late.push_back(ticket);
    }
    for (const std::uint64_t ticket : late) end(ticket, Ending::unbegun);
}

void OutgoingLine::finish()
{
    const Duration deadline = clock_.boottime() + stop_grace;
    while (publisher_ && publisher_->outstanding() > 0 && clock_.boottime() < deadline) {
        collect();
        if (publisher_->outstanding() == 0) break;
        if (publisher_->connection().has_read_ahead()) continue;
        wakeup_.wait({publisher_->connection().descriptor()}, deadline - clock_.boottime());
    }
    if (publisher_) {
        collect();
        if (!publisher_->loss()) publisher_->connection().close();
    }
    publisher_.reset();
    accept();
    while (!carried_.empty()) end(carried_.begin()->first, Ending::unbegun);
}

void OutgoingLine::end(std::uint64_t ticket, Ending ending, std::string why)
{
    const auto found = carried_.find(ticket);
    if (found == carried_.end()) return;
    const TakenMessage& message = found->second.message;
    {
        const std::lock_guard guard{mutex_};
        ended_.push_back(
            {message.taking,
             message.attempts,
             ending,
             std::move(why),
             message.message_id,
             message.queue}
        );
    }
    waiting_.erase(ticket);
    carried_.erase(found);
    on_change_();
}

void OutgoingLine::publish_state(bool is_open)
{
    {
        const std::lock_guard guard{mutex_};
        if (std::exchange(is_open_, is_open) == is_open) return;
    }
    on_change_();
}

void OutgoingLine::note_trouble(std::string trouble)
{
    const std::lock_guard guard{mutex_};
    trouble_ = std::move(trouble);
}

}  // namespace umavez::messaging
