// Sweeps, and the thread that repeats them and the passes of the worker.

#include "base/fault_point.hpp"
#include "engine/engine_impl.hpp"
#include "engine/refusals.hpp"
#include "engine/sweep_pace.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace umavez {
namespace {

SweepReport to_report(Swept&& swept)
{
    return {
        .records = swept.ids.size(),
        .audit_entries = swept.audit_entries,
        .unreadable = std::move(swept.unreadable),
        .has_more = swept.has_more,
    };
}

}  // namespace

Task<Result<SweepReport>> EngineImpl::async_sweep_once()
{
    auto report = co_await sweep(options_.sweep_batch, nullptr);
    co_return report;
}

// `work`: what was done inside the transaction, or, where there is none, the whole call.
Task<Result<SweepReport>> EngineImpl::sweep(std::size_t count_max, Duration* work)
{
    if (is_in_child()) co_return fail_in_child();
    co_await FaultPointReached{FaultPoint::sweep_before_write};
    const auto took = [this, work](Duration began_at) {
        if (work != nullptr) *work = clock_.boottime() - began_at;
    };
    if (transactional_ == nullptr) {
        const Duration began_at = clock_.boottime();
        auto swept = co_await store_.sweep(count_max, options_.audit_retention);
        took(began_at);
        if (!swept) co_return std::unexpected(swept.error());
        co_return to_report(*std::move(swept));
    }
    SweepReport report;
    Closure closure = [this, &report, &took, count_max](Transaction& transaction) -> Result<void> {
        const Duration began_at = clock_.boottime();
        auto swept = transactional_->sweep(transaction, count_max, options_.audit_retention);
        if (!swept) return std::unexpected(swept.error());
        auto cleaned = clean_up_after(transaction, swept->ids);
        report = to_report(*std::move(swept));
        took(began_at);
        return cleaned;
    };
    const auto committed = co_await transactional_->database().async_transact(std::move(closure));
    if (!committed) co_return std::unexpected(committed.error());
    co_return report;
}

// Each operation's own rows, by the function it declared.
Result<void> EngineImpl::clean_up_after(Transaction& transaction, const std::vector<RecordId>& ids)
{
    for (const Declared* operation : operations_.all()) {
        if (!operation->spec.swept) continue;
        std::vector<RecordId> own;
        std::ranges::copy_if(ids, std::back_inserter(own), [&](const RecordId& id) {
            return id.operation == operation->name;
        });
        if (own.empty()) continue;
        if (auto cleaned = operation->spec.swept(transaction, own); !cleaned) return cleaned;
    }
    return {};
}

// One pass over due work. Whether there was so much that the next should follow at once.
bool EngineImpl::work_through_due(std::optional<std::string>& trouble)
{
    const auto worked = work_once();
    trouble = worked ? worked->unreadable : worked.error().detail;
    return worked && worked->claimed >= DueQuery{}.count_max;
}

// Nearly everything that is counted is an entry of the audit, and no record is without one.
std::uint64_t EngineImpl::count_written() const
{
    std::uint64_t written = 0;
    for (const Declared* operation : operations_.all()) written += operation->tally.total();
    return written;
}

// Step by step, with rests, until nothing is left or due work should be looked for again: then true.
bool EngineImpl::sweep_through(std::optional<std::string>& trouble)
{
    const Duration ends_at = clock_.boottime() + *options_.worker_period;
    const double rate = sweep_rate_.update(count_written(), clock_.boottime());
    SweepPace pace{options_.sweep_batch, store_.traits().one_writer, rate, clock_.boottime()};
    while (true) {
        Duration work{0};
        const auto swept = wait(sweep(pace.batch(clock_.boottime()), &work));
        if (!swept) trouble = swept.error().detail;
        if (swept && swept->unreadable) trouble = swept->unreadable;
        if (!swept) return false;
        const Duration now = clock_.boottime();
        if (!swept->has_more || now >= ends_at) {
            sweep_rate_.on_pass(!swept->has_more, now);
            return swept->has_more;
        }
        const Duration rest =
            pace.rest_after({std::max(swept->records, swept->audit_entries), work}, now);
        std::unique_lock lock{worker_mutex_};
        if (worker_changed_->wait_for(lock, rest, [this] { return is_stopped_.load(); }))
            return false;
    }
}

bool EngineImpl::run_pass()
{
    std::optional<std::string> trouble;
    bool has_more = false;
    try {
        has_more = work_through_due(trouble);
        has_more = sweep_through(trouble) || has_more;
    } catch (const std::exception& exception) {
        trouble = exception.what();  // of a `swept` function
    } catch (...) {
        trouble = "an exception of unknown type";
    }
    const std::lock_guard guard{worker_mutex_};
    worker_trouble_ = std::move(trouble);
    return has_more;
}

std::optional<std::string> EngineImpl::worker_trouble() const
{
    const std::lock_guard guard{worker_mutex_};
    return worker_trouble_;
}

void EngineImpl::run_worker()
{
    const Duration period = *options_.worker_period;
    std::unique_lock lock{worker_mutex_};
    while (!is_stopped_) {
        lock.unlock();
        const bool has_more = run_pass();
        lock.lock();
        if (!has_more)
            worker_changed_->wait_for(lock, period, [this] { return is_stopped_.load(); });
    }
}

}  // namespace umavez
