#include "messaging/relay.hpp"

#include "messaging/deliveries_table.hpp"
#include "messaging/dispatch.hpp"
#include "messaging/sweep.hpp"

#include <utility>

namespace umavez::messaging {
namespace {

constexpr std::size_t sweep_events = 500;  // in one transaction
constexpr std::size_t sweep_batches = 20;  // in one pass

}  // namespace

Relay::Relay(Engine& engine, Database& database, RelayOptions options)
    : database_(database),
      options_(std::move(options)),
      worker_(
          engine,
          database,
          deliveries_table,
          make_sender(database, options_.delivery, cut_.get_token()),
          {.threads = options_.threads,
           .period = options_.period,
           .hidden = options_.lease,
           .items_per_thread = 1}  // a receiver may be slow
      ),
      dispatcher_([this](const std::stop_token& stop) { run(stop); })
{
}

Relay::~Relay()
{
    stop();
}

void Relay::wake()
{
    const std::lock_guard guard{mutex_};
    is_awake_ = true;
    changed_.notify_all();
}

void Relay::stop()
{
    {
        const std::lock_guard guard{mutex_};
        if (std::exchange(is_stopped_, true)) return;
    }
    dispatcher_.request_stop();
    dispatcher_.join();
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
    using Steady = std::chrono::steady_clock;
    auto sweep_at = Steady::now() + options_.sweep_period;
    while (!stop.stop_requested()) {
        dispatch_all(stop);
        if (Steady::now() >= sweep_at) {
            sweep_some(stop);
            sweep_at = Steady::now() + options_.sweep_period;
        }
        std::unique_lock lock{mutex_};
        changed_.wait_for(lock, stop, options_.period, [this] { return is_awake_; });
        is_awake_ = false;
    }
}

void Relay::dispatch_all(const std::stop_token& stop)
{
    for (std::size_t events = options_.batch; events == options_.batch && !stop.stop_requested();) {
        const auto dispatched = database_.transact([&](Transaction& transaction) -> Result<void> {
            const auto given = dispatch_once(transaction, options_.batch);
            if (!given) return std::unexpected(given.error());
            events = *given;
            return {};
        });
        if (!dispatched) return note_trouble(dispatched.error());
        if (events > 0) worker_.wake();
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
            swept = *removed;
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

OperationSpec relay_operation(Database& database, const RelayOptions& options)
{
    return work::operation_of(
        deliveries_table, make_sender(database, options.delivery), {.lease = options.lease}
    );
}

}  // namespace umavez::messaging
