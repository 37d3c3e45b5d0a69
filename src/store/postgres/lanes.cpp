#include "store/postgres/lanes.hpp"

#include "base/limits.hpp"
#include "store/postgres/write_calls.hpp"

#include <algorithm>

namespace umavez::pg {
namespace {

using namespace std::chrono_literals;

// How long a note may wait for a batch to ride on.
constexpr auto notes_flush = 200ms;

// While a batch is on its way the next one gathers. A batch that takes longer than this, as one does that
// waits for a lock, no longer holds up the others.
constexpr auto gathering_most = 20ms;
constexpr int threads_of_way = 2;

// A batch waits for a crowd that comes back as long as its calls follow each other this closely, and no
// longer than that.
constexpr auto crowd_gap = 20us;
constexpr auto crowd_wait_most = 300us;

}  // namespace

Lanes::Lanes(PostgresDatabase& database, Notes& notes) : database_(database), notes_(notes)
{
    for (Way& way : ways_) {
        way.writing.reserve(threads_of_way + 1);  // and a caller
        for (int i = 0; i < threads_of_way; ++i) {
            threads_.emplace_back([this, &way] { loop(way); });
        }
    }
}

Lanes::~Lanes()
{
    {
        const std::lock_guard guard{mutex_};
        is_closed_ = true;
        for (Way& way : ways_) way.changed.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    if (notes_.is_waiting()) write_notes(Purpose::claim);
}

bool Lanes::refuses(Call& call) const
{
    if (call.members > limits::batch_members_max) {
        call.result =
            fail(Errc::limit_exceeded, "a batch has more members than limits::batch_members_max");
    } else if (call.result) {
        call.result = database_.check_caller();
    }
    return !call.result || call.members == 0;
}

bool Lanes::submit(Call& call, std::coroutine_handle<> waiting, Scheduler& scheduler)
{
    const bool is_claim = call.kind == Call::Kind::insertion || call.kind == Call::Kind::takeover;
    Way& way = ways_[is_claim ? 0 : 1];
    std::unique_lock lock{mutex_};
    if (queued_ >= limits::lane_queue_max) {
        call.result = fail(Errc::store_unavailable, "too many calls wait for the database");
        return false;
    }
    if (scheduler.may_block() && way.writing.empty() && way.queue.is_empty()) {
        Call* const only = &call;
        write({&only, 1}, way, lock);
        if (is_closed_ || way.has_notes || !way.queue.is_empty()) way.changed.notify_one();
        return false;
    }
    call.waiting_ = waiting;
    call.scheduler_ = &scheduler;
    ++queued_;
    // While a batch is being written the first call makes the other thread watch the time; the next ones
    // need not.
    const bool is_first = way.queue.is_empty();
    way.queue.push(call);
    if ((is_first || way.writing.empty()) && !way.is_gathering) way.changed.notify_one();
    return true;
}

void Lanes::expect_notes()
{
    const std::lock_guard guard{mutex_};
    ways_[0].has_notes = true;
    ways_[0].changed.notify_one();
}

// The last touch: the waiting coroutine may destroy the call at once, on another thread.
void Lanes::answer(Call& call)
{
    call.scheduler_->resume_soon(call.waiting_);
}

void Lanes::gather(Way& way, std::unique_lock<std::mutex>& lock)
{
    const auto begun_at = std::chrono::steady_clock::now();
    const std::size_t returning = crowd_.returning(begun_at);
    way.is_gathering = true;
    std::size_t before = 0;
    while (way.queue.size() > before && way.queue.size() < returning &&
           std::chrono::steady_clock::now() < begun_at + crowd_wait_most) {
        before = way.queue.size();
        way.changed.wait_for(lock, crowd_gap);
    }
    way.is_gathering = false;
}

void Lanes::loop(Way& way)
{
    // The first claim should not wait for its connection; if there is none, it will be told.
    static_cast<void>(database_.pool().acquire(way.purpose, system_clock().boottime()));
    std::unique_lock lock{mutex_};
    while (true) {
        if (!way.queue.is_empty()) {
            if (way.is_gathering) {
                way.changed.wait_for(lock, gathering_most);
                continue;
            }
            if (!way.writing.empty()) {
                const auto may_write_at = way.writing.back() + gathering_most;
                if (std::chrono::steady_clock::now() < may_write_at) {
                    way.changed.wait_until(lock, may_write_at);
                    continue;
                }
            }
            gather(way, lock);
            crowd_.see(queued_ + under_way_);
            const std::vector<Call*> calls = way.queue.take(crowd_.share());
            queued_ -= calls.size();
            if (!way.queue.is_empty()) way.changed.notify_one();
            write(calls, way, lock);
        } else if (is_closed_) {
            return;
        } else if (way.has_notes && way.writing.empty()) {
            // Perhaps a batch comes along.
            way.has_notes = false;
            const auto comes = [&] { return is_closed_ || !way.queue.is_empty(); };
            if (way.changed.wait_for(lock, notes_flush, comes)) continue;
            lock.unlock();
            write_notes(way.purpose);
            lock.lock();
        } else {
            way.changed.wait(lock);
        }
    }
}

void Lanes::write(std::span<Call* const> calls, Way& way, std::unique_lock<std::mutex>& lock)
{
    const auto since = std::chrono::steady_clock::now();
    way.writing.push_back(since);
    under_way_ += calls.size();
    lock.unlock();
    const WritingCalls writing{database_, notes_, way.purpose};
    writing.write(calls);
    if (notes_.take_given_back()) expect_notes();
    lock.lock();
    crowd_.on_answered(calls.size(), std::chrono::steady_clock::now());
    under_way_ -= calls.size();  // who is answered may be queued again before all are
    lock.unlock();
    // Whoever is answered asks for more: as long as this counts as writing, that gathers.
    for (Call* const call : calls) {
        if (call->waiting_) answer(*call);  // otherwise it is the caller's who writes it
    }
    lock.lock();
    way.writing.erase(std::ranges::find(way.writing, since));
}

void Lanes::write_notes(Purpose purpose)
{
    const WritingCalls writing{database_, notes_, purpose};
    writing.write_notes();
    if (notes_.take_given_back()) expect_notes();
}

}  // namespace umavez::pg
