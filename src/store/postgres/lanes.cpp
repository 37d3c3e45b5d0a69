#include "store/postgres/lanes.hpp"

#include "store/postgres/write_calls.hpp"

#include <algorithm>
#include <set>

namespace umavez::pg {
namespace {

using namespace std::chrono_literals;

// How long a note may wait for a batch to ride on.
constexpr auto notes_flush = 200ms;

// Two threads for each way: while one waits for its commit the other gathers.
constexpr int threads_per_way = 2;

}  // namespace

Lanes::Lanes(PostgresDatabase& database, Notes& notes) : database_(database), notes_(notes)
{
    for (int i = 0; i < threads_per_way; ++i) {
        threads_.emplace_back([this] { loop(ways_[0], Purpose::claim); });
        threads_.emplace_back([this] { loop(ways_[1], Purpose::urgent); });
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

void Lanes::submit(Call& call, std::coroutine_handle<> waiting, Scheduler& scheduler)
{
    call.waiting_ = waiting;
    call.scheduler_ = &scheduler;
    const bool is_claim = call.kind == Call::Kind::insertion || call.kind == Call::Kind::takeover;
    const bool is_second = call.kind == Call::Kind::takeover || call.kind == Call::Kind::heartbeat;
    const std::lock_guard guard{mutex_};
    if (queued_ >= limits::lane_queue_max) {
        call.result = fail(Errc::store_unavailable, "too many calls wait for the database");
        return answer(call);
    }
    ++queued_;
    Way& way = ways_[is_claim ? 0 : 1];
    way.queues[is_second ? 1 : 0].push_back(&call);
    way.changed.notify_one();
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

// Calls of one kind, as many as fit, no key twice. What does not fit stays in its place.
std::vector<Call*> Lanes::take(Way& way)
{
    std::vector<Call*> taken;
    for (std::deque<Call*>& queue : way.queues) {
        const auto less = [](const RecordId* a, const RecordId* b) { return *a < *b; };
        std::set<const RecordId*, decltype(less)> keys{less};
        std::size_t members = 0;
        std::deque<Call*> left;
        for (Call* const call : queue) {
            bool fits = members + call->members <= limits::batch_members_max;
            for (std::size_t i = 0; fits && i < call->members; ++i) {
                fits = !keys.contains(&call->id(i));
            }
            if (!fits) {
                left.push_back(call);
                continue;
            }
            for (std::size_t i = 0; i < call->members; ++i) keys.insert(&call->id(i));
            members += call->members;
            taken.push_back(call);
        }
        queue.swap(left);
        if (!taken.empty()) break;
    }
    queued_ -= taken.size();
    return taken;
}

void Lanes::loop(Way& way, Purpose purpose)
{
    // The first claim should not wait for its connection; if there is none, it will be told.
    static_cast<void>(database_.pool().acquire(purpose, system_clock().boottime()));
    std::unique_lock lock{mutex_};
    const auto has_calls = [&way] { return !way.queues[0].empty() || !way.queues[1].empty(); };
    while (true) {
        way.changed.wait(lock, [&] { return is_closed_ || has_calls() || way.has_notes; });
        if (has_calls()) {
            std::vector<Call*> calls = take(way);
            if (has_calls()) way.changed.notify_one();
            lock.unlock();
            write(std::move(calls), purpose);
            lock.lock();
            continue;
        }
        if (is_closed_) return;
        // Only notes: perhaps a batch comes along.
        way.has_notes = false;
        const auto comes = [&] { return is_closed_ || has_calls(); };
        if (way.changed.wait_for(lock, notes_flush, comes)) continue;
        lock.unlock();
        write_notes(purpose);
        lock.lock();
    }
}

void Lanes::write(std::vector<Call*> calls, Purpose purpose)
{
    const WritingCalls writing{database_, notes_, purpose};
    writing.write(calls);
    if (notes_.take_given_back()) expect_notes();
    for (Call* const call : calls) answer(*call);
}

void Lanes::write_notes(Purpose purpose)
{
    const WritingCalls writing{database_, notes_, purpose};
    writing.write_notes();
    if (notes_.take_given_back()) expect_notes();
}

}  // namespace umavez::pg
