#include "messaging/broker/broker_relay.hpp"

#include "base/random_unit.hpp"
#include "messaging/broker/outgoing_line.hpp"
#include "messaging/broker_use.hpp"
#include "messaging/messages_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace umavez::messaging {
namespace {

constexpr Duration gathering_time = std::chrono::milliseconds{10};
constexpr Duration bad_queue_delay = std::chrono::seconds{30};
constexpr std::size_t carried_bytes_max = std::size_t{16} * 1024 * 1024;  // of data, about

// Work queues before events: what somebody waits for does not wait behind what happened.
void sort_by_urgency(std::vector<std::string>& queues)
{
    std::ranges::stable_partition(queues, [](const std::string& name) {
        return name != events_queue;
    });
}

}  // namespace

// The thread at the table: takes, hands over to the line, and writes down what became of it.
class BrokerRelay::Table {
public:
    Table(
        Database& database,
        const BrokerAddress& address,
        const BrokerOptions& broker,
        const BrokerRelayOptions& options
    )
        : database_(database),
          options_(options),
          clock_(options.clock != nullptr ? *options.clock : system_clock()),
          window_(broker.window),
          line_(address, broker, clock_, [this] { notify(); }),
          thread_([this](const std::stop_token& stop) { run(stop); })
    {
    }
    ~Table() { stop(); }

    void wake()
    {
        const std::lock_guard guard{mutex_};
        is_woken_ = true;
        changed_.notify_all();
    }

    void stop()
    {
        thread_.request_stop();
        if (!thread_.joinable()) return;
        thread_.join();
        line_.stop();
        guarded_pass(May::write);
    }

    std::optional<std::string> take_trouble()
    {
        {
            const std::lock_guard guard{mutex_};
            if (trouble_) return std::exchange(trouble_, std::nullopt);
        }
        return line_.take_trouble();
    }

    bool is_open() const { return line_.is_open(); }

private:
    // Called for every message that ended: only the first and the one that makes a batch wake the thread.
    void notify()
    {
        const std::lock_guard guard{mutex_};
        ++news_;
        if (news_ == 1 || news_ >= awaited_) changed_.notify_all();
    }

    void run(const std::stop_token& stop)
    {
        while (!stop.stop_requested()) {
            // A full batch means that there is more: only a short one earns a pause.
            const bool has_more = guarded_pass(May::write_and_take);
            std::unique_lock lock{mutex_};
            awaited_ = std::clamp<std::size_t>(carried_, 1, window_);
            const auto has_batch = [this] { return is_woken_ || news_ >= awaited_; };
            if (!has_more) {
                changed_.wait_for(lock, stop, options_.period, [this] {
                    return is_woken_ || news_ > 0;
                });
            }
            // Confirmations come in a stream: many of them are written in one transaction.
            if (!is_woken_ && carried_ > 0)
                changed_.wait_for(lock, stop, gathering_time, has_batch);
            is_woken_ = false;
            news_ = 0;
        }
    }

    // Four windows: one is being confirmed, and the others wait in the line while the next are taken.
    std::size_t carried_max() const { return window_ * 4; }

    // How many may be taken: nothing while the broker is away.
    std::size_t room() const
    {
        if (!line_.is_open()) return 0;
        const std::size_t carried = carried_ - unwritten_.size();
        return std::min(carried_max() - std::min(carried, carried_max()), batch_max_);
    }

    enum class May : std::uint8_t { write, write_and_take };

    // What was thrown costs this pass, not the process: what was taken and not handed over comes again when
    // its time of hiding is over.
    bool guarded_pass(May may)
    {
        try {
            return pass(may);
        } catch (const std::exception& thrown) {
            note_trouble(fmt::format("messages could not be carried: {}", thrown.what()));
            return false;
        }
    }

    // One transaction: what ended is written down, and the next ones are taken. Tells whether there may be
    // more.
    bool pass(May may)
    {
        for (Ended& one : line_.take_ended()) unwritten_.push_back(std::move(one));
        const std::size_t limit = may == May::write_and_take ? room() : 0;
        if (unwritten_.empty() && limit == 0 && is_remembered_) return false;
        std::vector<TakenMessage> taken;
        const Duration began = clock_.boottime();
        const auto done = database_.transact([&](Transaction& transaction) -> Result<void> {
            taken.clear();
            if (!is_remembered_) {
                if (auto written = remember_broker(transaction); !written) return written;
            }
            if (auto written = write_ended(transaction); !written) return written;
            return take(transaction, limit, taken);
        });
        if (!done) {
            note_trouble(done.error().detail);
            return false;  // what ended is written with the next pass
        }
        is_remembered_ = true;
        carried_ += taken.size();
        carried_ -= unwritten_.size();
        tell_buried();
        unwritten_.clear();
        const bool has_more = limit > 0 && taken.size() >= limit;
        hand_over(std::move(taken), began + options_.hidden / 2);
        return has_more;
    }

    void note_trouble(std::string trouble)
    {
        const std::lock_guard guard{mutex_};
        trouble_ = std::move(trouble);
    }

    void hand_over(std::vector<TakenMessage> taken, Duration until)
    {
        if (taken.empty()) return;
        std::size_t bytes = 0;
        std::vector<Carried> carried;
        carried.reserve(taken.size());
        for (TakenMessage& message : taken) {
            bytes += message.data.size();
            carried.push_back({std::move(message), until});
        }
        // Large ones are taken in smaller batches, so that memory stays flat.
        const std::size_t average = bytes / carried.size() + 1;
        batch_max_ = std::clamp<std::size_t>(carried_bytes_max / average, 1, carried_max());
        line_.carry(std::move(carried));
    }

    Result<void> take(Transaction& transaction, std::size_t limit, std::vector<TakenMessage>& taken)
        const
    {
        if (limit == 0) return {};
        auto queues = find_pending_queues(transaction);
        if (!queues) return std::unexpected(queues.error());
        sort_by_urgency(*queues);
        for (std::size_t i = 0; i < queues->size() && taken.size() < limit; ++i) {
            // A fair part, or what the others left.
            const std::size_t rest = limit - taken.size();
            const std::size_t others = queues->size() - i;
            auto some = take_messages(
                transaction,
                {.queue = (*queues)[i],
                 .order = Order::of_aggregate,
                 .hidden = options_.hidden,
                 .limit = (rest + others - 1) / others}
            );
            if (!some) return std::unexpected(some.error());
            std::ranges::move(*some, std::back_inserter(taken));
        }
        return {};
    }

    Result<void> write_ended(Transaction& transaction) const
    {
        std::vector<Taking> published;
        std::vector<Taking> unbegun;
        for (const Ended& one : unwritten_) {
            if (one.ending == Ending::published) published.push_back(one.taking);
            if (one.ending == Ending::unbegun) unbegun.push_back(one.taking);
        }
        const auto marked = end_messages(transaction, published, "published");
        if (!marked) return std::unexpected(marked.error());
        if (auto returned = return_messages(transaction, unbegun); !returned) return returned;
        for (const Ended& one : unwritten_) {
            if (auto written = write_failure(transaction, one); !written) return written;
        }
        return {};
    }

    // It can never be published, or was tried often enough.
    bool is_buried(const Ended& one) const
    {
        if (one.ending == Ending::refused) return true;
        return one.ending == Ending::failed && one.attempts + 1 >= options_.retry.attempts_max;
    }

    void tell_buried()
    {
        for (const Ended& one : unwritten_) {
            if (!is_buried(one)) continue;
            note_trouble(fmt::format(
                "message {} of queue {} is dead: {}", one.message_id, one.queue, one.why
            ));
        }
    }

    Result<void> write_failure(Transaction& transaction, const Ended& one) const
    {
        switch (one.ending) {
            case Ending::published:
            case Ending::unbegun: return {};
            case Ending::put_off:
                return put_off_message(
                    transaction, one.taking, bad_queue_delay, Counts::no, one.why
                );
            case Ending::refused:
            case Ending::failed: break;
        }
        if (is_buried(one)) return bury_message(transaction, one.taking, one.why);
        const auto failures = static_cast<std::uint32_t>(one.attempts) + 1;
        const Duration delay = work::retry_delay(options_.retry, failures, unit(system_random()));
        return put_off_message(transaction, one.taking, delay, Counts::as_attempt, one.why);
    }

    Database& database_;
    const BrokerRelayOptions options_;
    const Clock& clock_;
    const std::size_t window_;

    // Of the relay's thread.
    std::vector<Ended> unwritten_;
    std::size_t carried_ = 0;       // taken, and not written down as ended
    std::size_t batch_max_ = 1000;  // until their size is known
    bool is_remembered_ = false;

    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool is_woken_ = false;               // guarded by mutex_
    std::size_t news_ = 0;                // guarded by mutex_: ended since the last pass
    std::size_t awaited_ = 1;             // guarded by mutex_: so many make a batch
    std::optional<std::string> trouble_;  // guarded by mutex_
    OutgoingLine line_;
    std::jthread thread_;
};

Result<void> check_broker_options(const BrokerOptions& options)
{
    const auto address = parse_broker_address(options.url);
    if (!address) return std::unexpected(address.error());
    const bool is_sound = options.window > 0 && options.prefetch > 0 && !options.prefix.empty();
    if (is_sound) return {};
    return fail(Errc::misconfigured, "broker: window, prefetch and prefix are not empty");
}

BrokerRelay::BrokerRelay(Database& database, BrokerOptions broker, BrokerRelayOptions options)
{
    const auto address = parse_broker_address(broker.url);
    if (address) {
        table_ = std::make_unique<Table>(database, *address, broker, options);
    } else {
        wrong_url_ = address.error().detail;
    }
}

BrokerRelay::~BrokerRelay() = default;

void BrokerRelay::wake()
{
    if (table_) table_->wake();
}

void BrokerRelay::stop()
{
    if (table_) table_->stop();
}

std::optional<std::string> BrokerRelay::take_trouble()
{
    return table_ ? table_->take_trouble() : wrong_url_;
}

bool BrokerRelay::is_connected() const
{
    return table_ && table_->is_open();
}

}  // namespace umavez::messaging
