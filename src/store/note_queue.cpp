#include "store/note_queue.hpp"

#include "base/digest.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace umavez {
namespace {

// What " 12345678 times in 12345678 ms" takes.
constexpr std::size_t times_bytes_max = 64;

std::uint64_t hash_of(const RecordId& id, const AuditNote& note)
{
    const auto kind = static_cast<std::uint64_t>(std::to_underlying(note.event));
    return stable_hash({id.tenant_id.text(), id.operation.text(), id.key.text(), note.detail}) ^
           (kind << 56) ^ static_cast<std::uint64_t>(note.epoch);
}

bool is_same(const QueuedNote& queued, const RecordId& id, const AuditNote& note)
{
    return queued.note.event == note.event && queued.note.epoch == note.epoch &&
           queued.note.detail == note.detail && queued.id == id;
}

}  // namespace

std::string QueuedNote::detail() const
{
    if (times == 1) return note.detail;
    const auto millis = std::chrono::ceil<std::chrono::milliseconds>(last_at - at).count();
    const std::string_view between = note.detail.empty() ? "" : ", ";
    return fmt::format("{}{}{} times in {} ms", note.detail, between, times, millis);
}

bool NoteQueue::join(std::uint64_t hash, const RecordId& id, Duration at, const AuditNote& note)
{
    const auto place = places_.find(hash);
    if (place == places_.end() || !is_same(waiting_[place->second], id, note)) return false;
    QueuedNote& queued = waiting_[place->second];
    ++queued.times;
    // Two threads read the clock in one order and come in the other.
    queued.at = std::min(queued.at, at);
    queued.last_at = std::max(queued.last_at, at);
    return true;
}

bool NoteQueue::add(RecordId id, Duration at, AuditNote note) noexcept
{
    if (note.detail.size() > limits::audit_detail_bytes_max) {
        drop_one();
        return false;
    }
    try {
        const bool may_be_joined =
            note.detail.size() + times_bytes_max <= limits::audit_detail_bytes_max;
        const std::uint64_t hash = hash_of(id, note);
        const std::lock_guard guard{mutex_};
        if (may_be_joined && join(hash, id, at, note)) return false;
        if (waiting_.size() + taken_count_ >= limits::audit_notes_max) {
            drop_one();
            return false;
        }
        places_.reserve(places_.size() + 1);  // so that nothing fails once the note waits
        waiting_.push_back({.id = std::move(id), .at = at, .note = std::move(note)});
        waiting_count_.store(waiting_.size());
        if (may_be_joined) places_.try_emplace(hash, waiting_.size() - 1);
        return waiting_.size() == 1;
    } catch (const std::exception&) {
        drop_one();  // out of memory: a note is not worth more
        return false;
    }
}

void NoteQueue::take(std::vector<QueuedNote>& taken)
{
    const std::lock_guard guard{mutex_};
    taken.insert(
        taken.end(),
        std::make_move_iterator(waiting_.begin()),
        std::make_move_iterator(waiting_.end())
    );
    taken_count_ += waiting_.size();
    waiting_.clear();
    waiting_count_.store(0);
    places_.clear();
}

void NoteQueue::wait_again(std::vector<QueuedNote>& taken) noexcept
{
    if (taken.empty()) return;
    try {
        const std::lock_guard guard{mutex_};
        waiting_.insert(
            waiting_.begin(),
            std::make_move_iterator(taken.begin()),
            std::make_move_iterator(taken.end())
        );
        places_.clear();  // they have moved
        waiting_count_.store(waiting_.size());
        taken_count_ -= taken.size();
        taken.clear();
    } catch (const std::exception&) {
        drop(taken);  // out of memory
    }
}

void NoteQueue::landed(std::vector<QueuedNote>& taken) noexcept
{
    if (taken.empty()) return;
    const std::lock_guard guard{mutex_};
    taken_count_ -= taken.size();
    taken.clear();
}

void NoteQueue::drop(std::vector<QueuedNote>& taken) noexcept
{
    dropped_.fetch_add(taken.size(), std::memory_order_relaxed);
    landed(taken);
}

}  // namespace umavez
