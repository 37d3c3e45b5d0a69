#include "store/postgres/lanes.hpp"

#include "base/limits.hpp"
#include "store/postgres/write_calls.hpp"

namespace umavez::pg {
namespace {

using namespace std::chrono_literals;

// How long a note may wait for a batch to ride on.
constexpr auto notes_flush = 200ms;

}  // namespace

Lanes::Lanes(PostgresDatabase& database, Notes& notes) : database_(database), notes_(notes)
{
    // One thread each: with two, a batch of 64 callers has 12 members instead of 25, and what a
    // statement costs the server before its first row is paid twice as often.
    for (Way& way : ways_) threads_.emplace_back([this, &way] { loop(way); });
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
    if (scheduler.may_block() && !way.is_busy && way.queue.is_empty()) {
        way.is_busy = true;
        lock.unlock();
        Call* const only = &call;
        write({&only, 1}, way.purpose);
        lock.lock();
        way.is_busy = false;
        if (is_closed_ || way.has_notes || !way.queue.is_empty()) way.changed.notify_one();
        return false;
    }
    call.waiting_ = waiting;
    call.scheduler_ = &scheduler;
    ++queued_;
    way.queue.push(call);
    way.changed.notify_one();
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

void Lanes::loop(Way& way)
{
    // The first claim should not wait for its connection; if there is none, it will be told.
    static_cast<void>(database_.pool().acquire(way.purpose, system_clock().boottime()));
    std::unique_lock lock{mutex_};
    const auto may_write = [&] { return !way.is_busy && (is_closed_ || !way.queue.is_empty()); };
    while (true) {
        way.changed.wait(lock, [&] { return may_write() || (way.has_notes && !way.is_busy); });
        if (!way.queue.is_empty()) {
            const std::vector<Call*> calls = way.queue.take();
            queued_ -= calls.size();
            way.is_busy = true;
            lock.unlock();
            write(calls, way.purpose);
            for (Call* const call : calls) answer(*call);
            lock.lock();
            way.is_busy = false;
            continue;
        }
        if (is_closed_) return;
        // Only notes: perhaps a batch comes along.
        way.has_notes = false;
        if (way.changed.wait_for(lock, notes_flush, may_write)) continue;
        lock.unlock();
        write_notes(way.purpose);
        lock.lock();
    }
}

void Lanes::write(std::span<Call* const> calls, Purpose purpose)
{
    const WritingCalls writing{database_, notes_, purpose};
    writing.write(calls);
}

void Lanes::write_notes(Purpose purpose)
{
    const WritingCalls writing{database_, notes_, purpose};
    writing.write_notes();
}

}  // namespace umavez::pg
