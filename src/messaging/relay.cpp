#include "messaging/relay.hpp"

#include "messaging/deliveries_table.hpp"
#include "messaging/dispatch.hpp"
#include "messaging/messages_table.hpp"
#include "messaging/sweep.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace umavez::messaging {
namespace {

constexpr std::size_t sweep_events = 500;  // in one transaction
constexpr std::size_t sweep_batches = 20;  // in one pass
constexpr Duration dispatch_again = std::chrono::milliseconds{20};

}  // namespace

Relay::Relay(Engine& engine, Database& database, RelayOptions options)
    : database_(database),
      options_(std::move(options)),
      sweep_at_(std::chrono::steady_clock::now() + options_.sweep_period),
      worker_(
          engine,
          database,
          deliveries_table,
          make_sender(database, options_.delivery, cut_.get_token()),
          {.threads = options_.threads,
           .period = options_.period,
           .hidden = options_.lease,
           .items_max = std::max<std::size_t>(options_.threads / 2, 1)}
      ),
      dispatcher_(options_.period, [this](const std::stop_token& stop) { run(stop); })
{
}

Relay::~Relay()
{
    stop();
}

void Relay::wake()
{
    dispatcher_.wake();
}

void Relay::stop()
{
    {
        const std::lock_guard guard{mutex_};
        if (std::exchange(is_stopped_, true)) return;
    }
    dispatcher_.stop();
    // Cuts what still runs when the grace is over; asked to stop when nothing runs any more.
    std::jthread cutter{[this](const std::stop_token& idle) {
        std::unique_lock lock{mutex_};
        changed_.wait_for(lock, idle, options_.stop_grace, [] { return false; });
        if (!idle.stop_requested()) cut_.request_stop();
    }};
    worker_.stop();
}

std::optional<std::string> Relay::take_trouble()
{
    {
        const std::lock_guard guard{mutex_};
        if (trouble_) return std::exchange(trouble_, std::nullopt);
    }
    return worker_.take_trouble();
}

void Relay::run(const std::stop_token& stop)
{
    dispatch_all(stop);
    const auto now = std::chrono::steady_clock::now();
    if (now < sweep_at_) return;
    sweep_some(stop);
    sweep_at_ = now + options_.sweep_period;
}

void Relay::dispatch_all(const std::stop_token& stop)
{
    for (std::size_t events = options_.batch; events == options_.batch && !stop.stop_requested();) {
        bool is_first = true;
        const auto dispatched = database_.transact([&](Transaction& transaction) -> Result<void> {
            const auto first = try_dispatching(transaction);
            if (!first) return std::unexpected(first.error());
            is_first = *first;
            if (!is_first) return {};
            const auto given = dispatch_once(transaction, options_.batch);
            if (!given) return std::unexpected(given.error());
            events = *given;
            return {};
        });
        if (!dispatched) return note_trouble(dispatched.error());
        if (is_first && events > 0) worker_.wake();
        // Whoever else is at it may have looked before our event was there. And those that come one after the
        // other are given out together.
        if (!is_first || (events > 0 && events < options_.batch)) {
            std::unique_lock lock{mutex_};
            changed_.wait_for(lock, stop, dispatch_again, [] { return false; });
        }
    }
}

void Relay::sweep_some(const std::stop_token& stop)
{
    std::size_t swept = sweep_events;
    for (std::size_t i = 0; i < sweep_batches && swept == sweep_events; ++i) {
        if (stop.stop_requested()) return;
        const auto done = database_.transact([&](Transaction& transaction) -> Result<void> {
            const auto removed = sweep_outbox(transaction, options_.retention, sweep_events);
            if (!removed) return std::unexpected(removed.error());
            const auto messages = sweep_messages(transaction, options_.retention, sweep_events);
            if (!messages) return std::unexpected(messages.error());
            swept = std::max(*removed, *messages);
            return {};
        });
        if (!done) return note_trouble(done.error());
    }
}

void Relay::note_trouble(const Error& error)
{
    const std::lock_guard guard{mutex_};
    trouble_ = error.detail;
}

OperationSpec relay_operation(const RelayOptions& options)
{
    return work::operation_of(deliveries_table, {.lease = options.lease});
}

}  // namespace umavez::messaging
