#include "webhook/inbox/inbox_worker.hpp"

namespace umavez::webhook {
namespace {

constexpr std::int64_t sweep_batch = 500;

}  // namespace

InboxWorker::InboxWorker(
    Engine& engine, Database& database, work::RunItem processor, const InboxOptions& options
)
    : database_(database),
      retention_(options.retention),
      worker_(
          engine,
          database,
          inbox_work,
          std::move(processor),
          {.threads = options.threads, .period = options.period, .hidden = options.lease}
      ),
      tidying_(options.tidy_period, [this] { tidy(); })
{
}

void InboxWorker::tidy()
{
    std::int64_t woken = 0;
    // A store out of reach is told by the worker, and comes back by itself.
    const auto tidied = database_.transact([&](Transaction& transaction) -> Result<void> {
        const auto resolved = wake_resolved(transaction);
        if (!resolved) return std::unexpected(resolved.error());
        woken = *resolved;
        const auto swept = sweep_inbox(transaction, retention_, sweep_batch);
        if (!swept) return std::unexpected(swept.error());
        return {};
    });
    if (tidied && woken > 0) worker_.wake();
}

}  // namespace umavez::webhook
