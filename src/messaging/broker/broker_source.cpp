#include "messaging/broker/broker_source.hpp"

#include "base/random_unit.hpp"
#include "base/wakeup.hpp"
#include "messaging/broker/broker_relay.hpp"
#include "messaging/broker/consumer.hpp"
#include "messaging/broker/mover.hpp"
#include "work/retry_delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace umavez::messaging {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration heartbeat_period =
    milliseconds{500};  // librabbitmq serves them when it is called
constexpr Duration stop_grace = seconds{2};
constexpr Duration longest_aside = seconds{5};  // of what others may have, or wait for
constexpr std::int64_t suspect_from = 3;        // deaths: begun alone
constexpr Duration first_retry = milliseconds{200};
constexpr Duration thrown_pause = seconds{1};

// What a worker said of a message.
struct Verdict {
    enum class Kind : std::uint8_t { settle, hold_back, refuse } kind = Kind::settle;
    std::uint64_t tag = 0;
    std::uint64_t epoch = 0;
    Duration delay{};
    std::string why = {};
};

class BrokerSource final : public MessageSource {
public:
    BrokerSource(BrokerAddress address, BrokerOptions options, std::string queue)
        : address_(std::move(address)),
          options_(std::move(options)),
          queue_(std::move(queue)),
          names_(options_.prefix),
          mover_(address_, options_, queue_, clock_)
    {
    }
    ~BrokerSource() override
    {
        thread_.request_stop();
        wakeup_.wake();
    }

    // The first try is the caller's, so that a queue that is not as it has to be stops the start.
    Result<void> start()
    {
        if (auto opened = open(); !opened) {
            if (opened.error().code == Errc::misconfigured) return opened;
            note_trouble(opened.error());
        }
        thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
        return {};
    }

    Result<std::optional<ReceivedMessage>> next(Duration patience, std::stop_token stop) override
    {
        std::unique_lock lock{mutex_};
        changed_.wait_for(lock, stop, patience, [this] { return !ready_.empty() || trouble_; });
        if (stop.stop_requested()) return std::nullopt;
        if (!ready_.empty()) {
            std::optional<ReceivedMessage> message{std::move(ready_.front())};
            ready_.pop_front();
            return message;
        }
        if (trouble_) return std::unexpected(*std::exchange(trouble_, std::nullopt));
        return std::nullopt;
    }

    Result<void> settle(const ReceivedMessage& message) override
    {
        return post({.kind = Verdict::Kind::settle, .tag = message.handle, .epoch = message.epoch});
    }

    Result<void> hold_back(const ReceivedMessage& message, Duration delay) override
    {
        return post(
            {.kind = Verdict::Kind::hold_back,
             .tag = message.handle,
             .epoch = message.epoch,
             .delay = delay}
        );
    }

    Result<void> refuse(const ReceivedMessage& message, std::string why) override
    {
        return post(
            {.kind = Verdict::Kind::refuse,
             .tag = message.handle,
             .epoch = message.epoch,
             .why = std::move(why)}
        );
    }

private:
    // A message that we have and did not acknowledge.
    struct InHand {
        Letter letter;
        Duration arrived{};  // boottime
        bool is_moving = false;
    };
    Result<void> post(Verdict verdict)
    {
        {
            const std::lock_guard guard{mutex_};
            verdicts_.push_back(std::move(verdict));
        }
        wakeup_.wake();
        return {};
    }

    Result<void> open()
    {
        auto opened = Consumer::open(address_, options_, queue_);
        if (!opened) return std::unexpected(opened.error());
        consumer_ = std::make_unique<Consumer>(*std::move(opened));
        ++epoch_;
        failures_ = 0;
        return {};
    }

    void run(const std::stop_token& stop)
    {
        while (!stop.stop_requested()) {
            guarded([&] { pass(stop); });
        }
        guarded([&] { finish(); });
    }

    void pass(const std::stop_token& stop)
    {
        if (!consumer_) return reopen(stop);
        step();
        if (consumer_ && !has_read_ahead()) wait();
    }

    // What was thrown costs the connection, not the process: everything we had comes again.
    void guarded(const std::function<void()>& act)
    {
        try {
            act();
        } catch (const std::exception& thrown) {
            complain(fmt::format("messages could not be read: {}", thrown.what()));
            forget();
            mover_.drop();
            consumer_.reset();
            wakeup_.wait({}, thrown_pause);
        }
    }

    void reopen(const std::stop_token& stop)
    {
        const auto opened = open();
        if (opened) return;
        note_trouble(opened.error());
        const work::RetryRule rule{.first = first_retry, .longest = options_.retry_longest};
        const Duration until =
            clock_.boottime() + work::retry_delay(rule, ++failures_, unit(system_random()));
        while (!stop.stop_requested() && clock_.boottime() < until)
            wakeup_.wait({}, until - clock_.boottime());
    }

    void step()
    {
        if (auto read = consumer_->read(); !read) {
            lose(read.error());
        } else {
            for (Delivered& one : *read) on_delivery(std::move(one));
            for (const Verdict& verdict : take_verdicts()) on_verdict(verdict);
            look_at_ages();
            move_some();
        }
    }

    bool has_read_ahead() const
    {
        return consumer_->connection().has_read_ahead() || mover_.has_read_ahead();
    }

    void wait() const
    {
        wakeup_.wait({consumer_->connection().descriptor(), mover_.descriptor()}, heartbeat_period);
    }

    std::deque<ReceivedMessage> take_ready()
    {
        const std::lock_guard guard{mutex_};
        return std::exchange(ready_, {});
    }

    std::vector<Verdict> take_verdicts()
    {
        const std::lock_guard guard{mutex_};
        return std::exchange(verdicts_, {});
    }

    void on_delivery(Delivered delivered)
    {
        const std::uint64_t tag = delivered.tag;
        if (!delivered.letter) {
            note_trouble(delivered.letter.error());
            return check(consumer_->reject(tag, Consumer::Then::dead_letter));
        }
        const std::int64_t deaths = delivered.letter->deaths;
        InHand& in_hand = in_hand_[tag];
        in_hand = {.letter = *std::move(delivered.letter), .arrived = clock_.boottime()};
        if (deaths >= options_.delivery_limit) return bury(tag, "its workers died, too many times");
        if (deaths >= suspect_from) {
            if (suspect_) return move_to_held(tag, aside(), deaths);
            suspect_ = tag;
        }
        const Letter& letter = in_hand.letter;
        const std::lock_guard guard{mutex_};
        ready_.push_back({
            .message_id = letter.message_id,
            .tenant = letter.tenant,
            .type = letter.type,
            .data = letter.data,
            .deliveries = deaths + 1,
            .handle = tag,
            .epoch = epoch_,
        });
        changed_.notify_one();
    }

    void on_verdict(const Verdict& verdict)
    {
        // Of an older connection, or moved meanwhile: the message is not ours any more.
        if (verdict.epoch != epoch_) return;
        const auto found = in_hand_.find(verdict.tag);
        if (found == in_hand_.end() || found->second.is_moving) return;
        switch (verdict.kind) {
            case Verdict::Kind::settle: return acknowledge(verdict.tag);
            case Verdict::Kind::hold_back: return move_to_held(verdict.tag, verdict.delay, 0);
            case Verdict::Kind::refuse: return bury(verdict.tag, verdict.why);
        }
    }

    // What nobody began is left to others soon; what is worked on for long is not ours to keep either.
    void look_at_ages()
    {
        const Duration now = clock_.boottime();
        std::vector<std::uint64_t> old;
        for (const auto& [tag, one] : in_hand_) {
            if (!one.is_moving && now - one.arrived >= options_.unbegun_max) old.push_back(tag);
        }
        for (const std::uint64_t tag : old) {
            const InHand& one = in_hand_.at(tag);
            if (take_back(tag)) {
                move_to_held(tag, aside(), one.letter.deaths);
            } else if (now - one.arrived >= options_.hold_max) {
                move_to_held(tag, std::min(held_longest, options_.hold_max), 0);
            }
        }
    }

    Duration aside() const { return std::min(longest_aside, options_.unbegun_max); }

    // True: no worker has it, and none will.
    bool take_back(std::uint64_t tag)
    {
        const std::lock_guard guard{mutex_};
        return std::erase_if(ready_, [&](const ReceivedMessage& one) {
                   return one.handle == tag;
               }) > 0;
    }

    void move_to_held(std::uint64_t tag, Duration delay, std::int64_t deaths)
    {
        InHand& one = in_hand_.at(tag);
        Letter letter = one.letter;
        letter.deaths = deaths;
        letter.expires = std::clamp<Duration>(delay, milliseconds{1}, held_longest);
        move(tag, names_.to_held(queue_), std::move(letter));
    }

    void bury(std::uint64_t tag, std::string why)
    {
        Letter letter = in_hand_.at(tag).letter;
        complain(fmt::format("message {} of queue {} is dead: {}", letter.message_id, queue_, why));
        letter.reason = std::move(why);
        move(tag, names_.to_dead(queue_), std::move(letter));
    }

    void move(std::uint64_t tag, Route route, Letter letter)
    {
        in_hand_.at(tag).is_moving = true;
        mover_.move(tag, std::move(route), std::move(letter));
    }

    void move_some()
    {
        for (const std::uint64_t tag : mover_.run()) acknowledge(tag);
        if (auto trouble = mover_.take_trouble()) complain(*std::move(trouble));
    }

    void acknowledge(std::uint64_t tag)
    {
        in_hand_.erase(tag);
        if (suspect_ == tag) suspect_.reset();
        check(consumer_->acknowledge(tag));
    }

    // A write that failed is seen by the next read as well.
    void check(const Answered<void>& answered)
    {
        if (!answered) complain(to_text(answered.error()));
    }

    void lose(const Refusal& refusal)
    {
        complain("the connection to the broker was lost: " + to_text(refusal));
        forget();
        consumer_.reset();
    }

    // Everything we had comes again, to whoever is there.
    void forget()
    {
        in_hand_.clear();
        mover_.forget();
        suspect_.reset();
        const std::lock_guard guard{mutex_};
        ready_.clear();
    }

    // Verdicts that were posted are carried out; what no worker began is requeued. What is still at work
    // comes again when the connection ends.
    void finish()
    {
        const Duration deadline = clock_.boottime() + stop_grace;
        // Once at least: a process that stood still has verdicts too.
        if (consumer_) step();
        while (consumer_ && !mover_.is_idle() && clock_.boottime() < deadline) {
            if (!has_read_ahead()) wait();
            step();
        }
        if (!consumer_) return;
        for (const ReceivedMessage& one : take_ready())
            check(consumer_->reject(one.handle, Consumer::Then::requeue));
        mover_.close();
        consumer_->connection().close();
    }

    void complain(std::string what)
    {
        note_trouble({Errc::store_unavailable, std::move(what), std::source_location::current()});
    }

    void note_trouble(const Error& error)
    {
        const std::lock_guard guard{mutex_};
        trouble_ = error;
        changed_.notify_one();
    }

    const BrokerAddress address_;
    const BrokerOptions options_;
    const std::string queue_;
    const Names names_;
    const Clock& clock_ = system_clock();
    const Wakeup wakeup_;

    // Of the source's thread, once it runs.
    std::unique_ptr<Consumer> consumer_;
    std::uint64_t epoch_ = 0;
    std::map<std::uint64_t, InHand> in_hand_;  // by delivery tag
    std::optional<std::uint64_t> suspect_;     // the one that may be begun
    Mover mover_;
    std::uint32_t failures_ = 0;  // to connect, in a row

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<ReceivedMessage> ready_;  // guarded by mutex_: arrived, not begun
    std::vector<Verdict> verdicts_;      // guarded by mutex_
    std::optional<Error> trouble_;       // guarded by mutex_
    std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<MessageSource>> make_broker_source(BrokerOptions options, std::string queue)
{
    if (auto checked = check_broker_options(options); !checked)
        return std::unexpected(checked.error());
    auto address = parse_broker_address(options.url);
    auto source =
        std::make_unique<BrokerSource>(*std::move(address), std::move(options), std::move(queue));
    if (auto started = source->start(); !started) return std::unexpected(started.error());
    return source;
}

}  // namespace umavez::messaging
