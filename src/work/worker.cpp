#include "work/worker.hpp"

#include <algorithm>
#include <coroutine>
#include <iterator>
#include <utility>

namespace umavez::work {
namespace {

// So many items after one that made its neighbours run twice: it may not be the only one.
constexpr std::size_t alone_after_loss = 64;

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

constexpr std::string_view dead = "dead";

// What becomes of a row whose record gives no lease. Nullopt: it is in progress elsewhere.
std::optional<Ended> end_of(const WorkTable& table, const Outcome& outcome)
{
    if (std::holds_alternative<InDoubt>(outcome)) {
        return Ended{
            .state = dead,
            .why = "the processes that ran it died, too many times",
            .is_failure = true
        };
    }
    const auto* const replayed = std::get_if<Replayed>(&outcome);
    if (replayed == nullptr) return std::nullopt;
    // Whoever runs it ends row and record together; so another worker just did, and the row has another run
    // by now, or an operator resolved the record alone.
    if (replayed->status == Status::succeeded)
        return Ended{.state = table.done, .why = "resolved as done"};
    return Ended{.state = dead, .why = "resolved as failed", .is_failure = true};
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

// Lets many tasks go on together on one thread, so that what they ask of the store shares its batches.
class Together final : public Scheduler {
public:
    void resume_soon(std::coroutine_handle<> handle) override
    {
        const std::lock_guard guard{mutex_};
        ready_.push_back(handle);
        changed_.notify_one();
    }

    template <typename T>
    std::vector<T> wait_for(std::vector<Task<T>> tasks)
    {
        for (Task<T>& task : tasks) task.start(*this);
        while (!std::ranges::all_of(tasks, &Task<T>::is_done)) resume_next();
        std::vector<T> results;
        results.reserve(tasks.size());
        for (Task<T>& task : tasks) results.push_back(task.take());
        return results;
    }

private:
    void resume_next()
    {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return !ready_.empty(); });
        const std::coroutine_handle<> handle = ready_.front();
        ready_.pop_front();
        lock.unlock();
        handle.resume();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::coroutine_handle<>> ready_;  // guarded by mutex_
};

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
    {
        const std::lock_guard guard{mutex_};
        if (std::exchange(is_stopping_, true)) return;
        changed_.notify_all();
    }
    threads_.clear();
    give_back(std::exchange(claimed_, {}));
}

// Others need not wait until the leases of what was not begun are over.
void Worker::give_back(std::deque<Claimed> left)
{
    if (left.empty()) return;
    std::vector<Task<Result<void>>> freeing;
    std::vector<Item> items;
    for (Claimed& one : left) {
        freeing.push_back(one.lease.async_untouched());
        items.push_back(one.item);
    }
    for (const Result<void>& freed : Together{}.wait_for(std::move(freeing))) {
        if (!freed) note_trouble(freed.error());
    }
    const auto returned = database_.transact([&](Transaction& transaction) {
        return put_back(transaction, table_, items);
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
    for (;;) {
        std::vector<Claimed> items = next_items();
        if (items.empty()) return;
        if (items.size() > 1) items = run_together(std::move(items));
        for (Claimed& one : items) run_alone(one);
        // What just ended may be what another item waited for.
        if (!table_.ready.empty()) wake();
    }
}

void Worker::run_alone(Claimed& claimed)
{
    const auto done = run_or_free(run_item_, claimed.lease, claimed.item);
    if (!done) note_trouble(done.error());
    clear_suspect(claimed.item);
}

// Gives back what is to be run alone.
std::vector<Claimed> Worker::run_together(std::vector<Claimed> items)
{
    const auto left = options_.run_together(items);
    {
        const std::lock_guard guard{mutex_};
        --batches_;
        if (!left) alone_left_ = alone_after_loss;
        changed_.notify_all();
    }
    if (!left) return items;
    std::erase_if(items, [&](const Claimed& one) {
        return std::ranges::find(*left, one.item) == left->end();
    });
    return items;
}

std::vector<Claimed> Worker::next_items()
{
    std::unique_lock lock{mutex_};
    for (;;) {
        if (is_stopping_) return {};
        // The next ones are claimed while the others are still at work.
        const bool is_low = claimed_.size() < options_.threads * options_.together_max && has_more_;
        if (!is_fetching_ && (claimed_.empty() || is_low)) {
            const std::uint64_t wakes = wakes_;
            if (fetch(lock) || !claimed_.empty() || is_stopping_) continue;
            // Still the one that looks, so that the others sleep until there is something.
            is_fetching_ = true;
            changed_.wait_for(lock, options_.period, [&] {
                return is_stopping_ || wakes_ != wakes;
            });
            is_fetching_ = false;
            changed_.notify_one();
            continue;
        }
        if (!claimed_.empty() && (batches_ < options_.batches_max || alone_left_ > 0)) {
            return take_claimed();
        }
        changed_.wait(lock);
    }
}

// The next one, and as many after it as are this thread's share. A suspect is alone: should it kill us, it
// must take nobody along.
std::vector<Claimed> Worker::take_claimed()
{
    std::size_t count =
        std::clamp<std::size_t>(claimed_.size() / options_.threads, 1, options_.together_max);
    if (alone_left_ > 0) count = 1;
    std::vector<Claimed> items;
    while (items.size() < count && !claimed_.empty()) {
        const bool is_suspect = suspect_ == claimed_.front().item;
        if (is_suspect && !items.empty()) break;
        items.push_back(std::move(claimed_.front()));
        claimed_.pop_front();
        if (is_suspect) break;
    }
    if (alone_left_ > 0) --alone_left_;
    if (items.size() > 1) ++batches_;
    return items;
}

// One look at the table, by one thread at a time. False: there was nothing for us, or it could not be seen.
bool Worker::fetch(std::unique_lock<std::mutex>& lock)
{
    is_fetching_ = true;
    lock.unlock();
    const std::vector<Item> items = take();
    std::vector<Claimed> claimed = claim(items);
    const bool has_some = !claimed.empty();
    lock.lock();
    is_fetching_ = false;
    has_more_ = items.size() == options_.items_max;
    std::ranges::move(claimed, std::back_inserter(claimed_));
    changed_.notify_all();
    return has_some;
}

std::vector<Item> Worker::take()
{
    std::vector<Taken> taken;
    const auto looked = database_.transact([&](Transaction& transaction) -> Result<void> {
        auto due = take_due(transaction, table_, options_.hidden, options_.items_max);
        if (!due) return std::unexpected(due.error());
        taken = *std::move(due);
        return {};
    });
    if (looked) return leave_suspects(std::move(taken));
    note_trouble(looked.error());
    return {};
}

// All that are fresh, and the least suspect of the others unless one is at work.
std::vector<Item> Worker::leave_suspects(std::vector<Taken> taken)
{
    std::ranges::sort(taken, {}, [](const Taken& one) {
        return std::pair{one.takes, one.item.id};
    });
    std::vector<Item> items;
    std::vector<Item> left;
    {
        const std::lock_guard guard{mutex_};
        for (const Taken& one : taken) {
            const bool is_fresh = one.takes <= 1;
            if (!is_fresh && !suspect_) suspect_ = one.item;
            (is_fresh || suspect_ == one.item ? items : left).push_back(one.item);
        }
    }
    if (left.empty()) return items;
    const auto returned = database_.transact([&](Transaction& transaction) {
        return put_back(transaction, table_, left);
    });
    if (!returned) note_trouble(returned.error());
    return items;
}

void Worker::clear_suspect(const Item& item)
{
    const std::lock_guard guard{mutex_};
    if (suspect_ != item) return;
    suspect_.reset();
    ++wakes_;  // for the next of them
    changed_.notify_all();
}

std::vector<Claimed> Worker::claim(const std::vector<Item>& items)
{
    std::vector<Task<Result<Begun>>> beginning;
    beginning.reserve(items.size());
    for (const Item& item : items)
        beginning.push_back(engine_.async_begin(request_of(table_, item)));
    auto begun = Together{}.wait_for(std::move(beginning));
    std::vector<Claimed> claimed;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!begun[i]) {
            note_trouble(begun[i].error());
        } else if (auto* const lease = std::get_if<Lease>(&*begun[i])) {
            claimed.push_back({items[i], std::move(*lease)});
        } else {
            end_unclaimed(items[i], std::get<Outcome>(*begun[i]));
        }
        const bool is_ours = !claimed.empty() && claimed.back().item == items[i];
        if (!is_ours) clear_suspect(items[i]);
    }
    return claimed;
}

// No lease: nobody runs this any more, and its row is ended as its record is.
void Worker::end_unclaimed(const Item& item, const Outcome& outcome)
{
    const std::optional<Ended> ended = end_of(table_, outcome);
    if (!ended) return;
    bool is_ours = false;
    const auto written = database_.transact([&](Transaction& transaction) -> Result<void> {
        const auto changed = mark_ended(transaction, table_, item, *ended);
        if (!changed) return std::unexpected(changed.error());
        is_ours = *changed;
        return {};
    });
    if (!written) return note_trouble(written.error());
    if (is_ours && ended->state == dead && options_.on_dead) options_.on_dead(item, *ended->why);
}

void Worker::note_trouble(const Error& error)
{
    const std::lock_guard guard{mutex_};
    trouble_ = error.detail;
}

OperationSpec operation_of(const WorkTable& table, const RunPolicy& policy)
{
    OperationSpec spec{.name = std::string{table.operation}};
    spec.policy.guarantee = Guarantee::leased;
    spec.policy.key = KeyRule::required;
    spec.policy.lease = policy.lease;
    spec.policy.retention = policy.retention;
    spec.policy.on_abandoned = OnAbandoned::rerun;
    spec.policy.effect = RepeatedEffect::deduplicated;
    return spec;
}

}  // namespace umavez::work
