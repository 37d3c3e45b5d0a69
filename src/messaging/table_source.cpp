#include "messaging/table_source.hpp"

#include "messaging/messages_table.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace umavez::messaging {
namespace {

using SteadyClock = std::chrono::steady_clock;

// What a worker carries of a taking: the run in the upper bits, the takes in the lower ones.
constexpr unsigned takes_bits = 16;

std::uint64_t epoch_of(const Taking& taking)
{
    return static_cast<std::uint64_t>(taking.run) << takes_bits |
           static_cast<std::uint64_t>(taking.takes);
}

Taking taking_of(const ReceivedMessage& message)
{
    constexpr std::uint64_t takes_mask = (std::uint64_t{1} << takes_bits) - 1;
    return {
        .id = static_cast<std::int64_t>(message.handle),
        .run = static_cast<std::int64_t>(message.epoch >> takes_bits),
        .takes = static_cast<std::int64_t>(message.epoch & takes_mask),
    };
}

class TableSource final : public MessageSource {
public:
    TableSource(Database& database, std::string queue, TableSourceOptions options)
        : database_(database), queue_(std::move(queue)), options_(options)
    {
    }

    Result<std::optional<ReceivedMessage>> next(Duration patience, std::stop_token stop) override
    {
        const auto deadline = SteadyClock::now() + patience;
        for (bool is_last = false;;) {
            std::uint64_t wakes = 0;
            {
                const std::lock_guard guard{mutex_};
                wakes = wakes_;
            }
            auto taken = take();
            if (!taken) return std::unexpected(taken.error());
            if (*taken) return *std::move(taken);
            if (is_last || stop.stop_requested()) return std::nullopt;
            std::unique_lock lock{mutex_};
            const auto until = std::min(deadline, SteadyClock::now() + options_.period);
            changed_.wait_until(lock, stop, until, [&] { return wakes_ != wakes; });
            if (stop.stop_requested()) return std::nullopt;
            is_last = SteadyClock::now() >= deadline;
        }
    }

    Result<void> settle(const ReceivedMessage& message) override
    {
        const Taking taking = taking_of(message);
        return change([&](Transaction& transaction) -> Result<void> {
            const auto ended = end_messages(transaction, {&taking, 1}, "done");
            if (!ended) return std::unexpected(ended.error());
            return {};
        });
    }

    Result<void> hold_back(const ReceivedMessage& message, Duration delay) override
    {
        return change([&](Transaction& transaction) {
            return put_off_message(transaction, taking_of(message), delay, Counts::no);
        });
    }

    Result<void> refuse(const ReceivedMessage& message, std::string why) override
    {
        return change([&](Transaction& transaction) {
            return bury_message(transaction, taking_of(message), why);
        });
    }

    void wake() override
    {
        const std::lock_guard guard{mutex_};
        ++wakes_;
        changed_.notify_all();
    }

private:
    Result<void> change(Closure closure) { return database_.transact(std::move(closure)); }

    Result<std::optional<ReceivedMessage>> take()
    {
        std::optional<ReceivedMessage> received;
        const auto looked = database_.transact([&](Transaction& transaction) {
            return take_one(transaction, received);
        });
        if (!looked) return std::unexpected(looked.error());
        return received;
    }

    // Those that took their workers with them too often are buried on the way.
    Result<void> take_one(Transaction& transaction, std::optional<ReceivedMessage>& received)
    {
        received.reset();  // a closure may run more than once
        const TakeQuery query{.queue = queue_, .hidden = options_.hidden};
        for (;;) {
            auto taken = take_messages(transaction, query);
            if (!taken) return std::unexpected(taken.error());
            if (taken->empty()) return {};
            TakenMessage& one = taken->front();
            if (one.taking.takes <= options_.takes_max) {
                received = ReceivedMessage{
                    .message_id = std::move(one.message_id),
                    .tenant = std::move(one.tenant),
                    .type = std::move(one.type),
                    .data = std::move(one.data),
                    .deliveries = one.taking.takes,
                    .handle = static_cast<std::uint64_t>(one.taking.id),
                    .epoch = epoch_of(one.taking),
                };
                return {};
            }
            const auto buried = bury_message(
                transaction, one.taking, "the workers that had it died, too many times"
            );
            if (!buried) return buried;
        }
    }

    Database& database_;
    const std::string queue_;
    const TableSourceOptions options_;

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t wakes_ = 0;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<MessageSource> make_table_source(
    Database& database, std::string queue, TableSourceOptions options
)
{
    return std::make_unique<TableSource>(database, std::move(queue), options);
}

}  // namespace umavez::messaging
