#include "webhook/inbox/inbox_worker.hpp"

#include <algorithm>
#include <utility>

namespace umavez::webhook {
namespace {

// SQLite's lane lets transactions share a commit by itself.
std::size_t together_max(const Database& database)
{
    return database.dialect() == Dialect::postgres ? 16 : 1;
}

std::size_t items_per_thread(const Database& database)
{
    constexpr std::size_t least = 8;
    return std::max(2 * together_max(database), least);
}

constexpr std::int64_t sweep_batch = 500;  // in one transaction

work::WorkTable table_with(const std::string& ready)
{
    work::WorkTable table = inbox_work;
    table.ready = ready;
    return table;
}

}  // namespace

InboxWorker::InboxWorker(
    Engine& engine, Database& database, Processor processor, const InboxOptions& options
)
    : database_(database),
      options_(options),
      ready_(ready_of(options.providers)),
      worker_(
          engine,
          database,
          table_with(ready_),
          std::move(processor.alone),
          {.threads = options.threads,
           .period = options.period,
           .hidden = options.lease,
           .items_max = options.threads * items_per_thread(database),
           .run_together = std::move(processor.together),
           .together_max = together_max(database),
           .on_dead =
               [this](const work::Item& item, const std::string& why) { tell_dead(item, why); }}
      ),
      tidying_(options.tidy_period, [this](const std::stop_token& stop) { tidy(stop); })
{
}

void InboxWorker::stop()
{
    tidying_.stop();
    worker_.stop();
}

std::optional<std::string> InboxWorker::take_trouble()
{
    {
        const std::lock_guard guard{mutex_};
        if (trouble_) return std::exchange(trouble_, std::nullopt);
    }
    return worker_.take_trouble();
}

void InboxWorker::tidy(const std::stop_token& stop)
{
    std::int64_t woken = 0;
    for (std::int64_t swept = sweep_batch; swept == sweep_batch && !stop.stop_requested();) {
        const auto tidied = database_.transact([&](Transaction& transaction) -> Result<void> {
            const auto resolved = wake_resolved(transaction);
            if (!resolved) return std::unexpected(resolved.error());
            woken = *resolved;
            const auto removed = sweep_inbox(transaction, options_.retention, sweep_batch);
            if (!removed) return std::unexpected(removed.error());
            swept = *removed;
            return {};
        });
        if (!tidied) {
            const std::lock_guard guard{mutex_};
            trouble_ = tidied.error().detail;
            return;
        }
        if (woken > 0) worker_.wake();
    }
}

void InboxWorker::tell_dead(const work::Item& item, const std::string& why)
{
    if (!options_.on_processed) return;
    ProcessedEvent dead{.id = item.id, .state = "dead", .why = why};
    const auto read = database_.read([&](Transaction& transaction) -> Result<void> {
        const auto event = find_event(transaction, item.id);
        if (!event) return std::unexpected(event.error());
        if (!*event) return {};
        dead.provider = (*event)->row.provider;
        dead.event_id = (*event)->row.event_id;
        dead.type = (*event)->row.type;
        return {};
    });
    // Its id is told in any case.
    if (!read) dead.why += "; what it was cannot be read just now";
    options_.on_processed(dead);
}

}  // namespace umavez::webhook
