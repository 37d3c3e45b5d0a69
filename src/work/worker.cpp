#include "work/worker.hpp"

#include <utility>

namespace umavez::work {
namespace {

// Enough that a thread seldom waits for a look at the table, few enough that another process finds some.
constexpr std::size_t items_per_thread = 8;

Request request_of(const WorkTable& table, const Item& item)
{
    RecordId id = record_id_of(table, item);
    return {
        .tenant_id = std::move(id.tenant_id),
        .operation = std::move(id.operation),
        .key = std::move(id.key),
        .target = make_target({table.operation}),
        .fingerprint = {},
    };
}

// Work that was not ended is left as if it had not begun: the transaction that would have ended it did not
// commit, or did, and then freeing the key changes nothing.
Result<void> run_or_free(const RunItem& run_item, Lease& lease, const Item& item)
{
    auto done = run_item(lease, item);
    if (done) return done;
    const auto freed = lease.untouched();
    if (!freed && freed.error().code != Errc::invalid_argument) {
        done.error().detail +=
            "; the key stays claimed until its lease ends: " + freed.error().detail;
    }
    return done;
}

}  // namespace

Worker::Worker(
    Engine& engine, Database& database, WorkTable table, RunItem run_item, WorkerOptions options
)
    : engine_(engine),
      database_(database),
      table_(table),
      run_item_(std::move(run_item)),
      options_(options)
{
    threads_.reserve(options_.threads);
    for (std::size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { run(); });
}

Worker::~Worker()
{
    stop();
}

void Worker::wake()
{
    const std::lock_guard guard{mutex_};
    ++wakes_;
    changed_.notify_all();  // one of them may not be the one that looks
}

void Worker::stop()
{
    std::vector<Item> left;
    {
        const std::lock_guard guard{mutex_};
        if (std::exchange(is_stopping_, true)) return;
        left.assign(taken_.begin(), taken_.end());
        taken_.clear();
        changed_.notify_all();
    }
    threads_.clear();
    if (left.empty()) return;
    // Others need not wait until what was taken here shows itself again.
    const auto returned = database_.transact([&](Transaction& transaction) {
        return put_back(transaction, table_, left);
    });
    if (!returned) note_trouble(returned.error());
}

std::optional<std::string> Worker::take_trouble()
{
    const std::lock_guard guard{mutex_};
    return std::exchange(trouble_, std::nullopt);
}

void Worker::run()
{
    while (const auto item = next_item()) {
        run_one(*item);
        // What just ended may be what another item waited for.
        if (!table_.ready.empty()) wake();
    }
}

std::optional<Item> Worker::next_item()
{
    std::unique_lock lock{mutex_};
    for (;;) {
        if (is_stopping_) return std::nullopt;
        if (!taken_.empty()) {
            const Item item = taken_.front();
            taken_.pop_front();
            return item;
        }
        if (is_fetching_) {
            changed_.wait(lock);
            continue;
        }
        const std::uint64_t wakes = wakes_;
        if (fetch(lock)) continue;
        // Still the one that looks, so that the others sleep until there is something.
        is_fetching_ = true;
        changed_.wait_for(lock, options_.period, [&] { return is_stopping_ || wakes_ != wakes; });
        is_fetching_ = false;
        changed_.notify_one();
    }
}

// One look at the table, by one thread at a time. False: there was nothing, or it could not be seen.
bool Worker::fetch(std::unique_lock<std::mutex>& lock)
{
    is_fetching_ = true;
    lock.unlock();
    std::vector<Item> items;
    const auto looked = database_.transact([&](Transaction& transaction) -> Result<void> {
        auto due =
            take_due(transaction, table_, options_.hidden, options_.threads * items_per_thread);
        if (!due) return std::unexpected(due.error());
        items = *std::move(due);
        return {};
    });
    if (!looked) {
        items.clear();
        note_trouble(looked.error());
    }
    lock.lock();
    is_fetching_ = false;
    taken_.insert(taken_.end(), items.begin(), items.end());
    changed_.notify_all();
    return !items.empty();
}

void Worker::run_one(const Item& item)
{
    auto begun = engine_.begin(request_of(table_, item));
    if (!begun) return note_trouble(begun.error());
    if (auto* const lease = std::get_if<Lease>(&*begun)) {
        const auto done = run_or_free(run_item_, *lease, item);
        if (!done) note_trouble(done.error());
        return;
    }
    // In progress elsewhere, or ended meanwhile: not ours. Held: it took its owners with it too often.
    if (std::holds_alternative<InDoubt>(std::get<Outcome>(*begun))) bury(item);
}

// No lease: the engine holds the record, so nobody runs this.
void Worker::bury(const Item& item)
{
    const auto buried = database_.transact([&](Transaction& transaction) {
        return mark_dead(
            transaction, table_, item, "the processes that ran it died, too many times"
        );
    });
    if (!buried) note_trouble(buried.error());
}

void Worker::note_trouble(const Error& error)
{
    const std::lock_guard guard{mutex_};
    trouble_ = error.detail;
}

OperationSpec operation_of(const WorkTable& table, RunItem run_item, const RunPolicy& policy)
{
    OperationSpec spec{.name = std::string{table.operation}};
    spec.policy.guarantee = Guarantee::leased;
    spec.policy.key = KeyRule::required;
    spec.policy.lease = policy.lease;
    spec.policy.retention = policy.retention;
    spec.policy.on_abandoned = OnAbandoned::rerun;
    spec.policy.effect = RepeatedEffect::deduplicated;
    spec.load = [](RecordId id) -> Task<std::optional<std::string>> { co_return id.key.text(); };
    spec.work = [run_item = std::move(run_item)](Lease& lease, std::string) -> Task<Response> {
        const auto item = parse_item(lease.id().key);
        if (item) {
            const auto done = run_or_free(run_item, lease, *item);
            static_cast<void>(done);  // the row tells, and its next run
        }
        co_return Response{.status = item ? 200 : 404};
    };
    return spec;
}

}  // namespace umavez::work
