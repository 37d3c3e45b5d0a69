#include "store/note_queue.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <iterator>
#include <utility>

namespace umavez {
namespace {

std::size_t hash_of(const RecordId& id, const AuditNote& note)
{
    const auto kind = static_cast<std::size_t>(std::to_underlying(note.event));
    const auto epoch = static_cast<std::size_t>(note.epoch);
    return std::hash<std::string_view>{}(id.key.text()) ^ (kind << 56) ^ epoch;
}

}  // namespace

std::string QueuedNote::detail() const
{
    if (times == 1) return note.detail;
    const auto millis = std::chrono::ceil<std::chrono::milliseconds>(last_at - at).count();
    return fmt::format("{} times in {} ms", times, millis);
}

QueuedNote* NoteQueue::find_same(std::size_t hash, const RecordId& id, const AuditNote& note)
{
    const auto place = places_.find(hash);
    if (place == places_.end()) return nullptr;
    QueuedNote& queued = waiting_[place->second];
    const bool is_same =
        queued.note.event == note.event && queued.note.epoch == note.epoch && queued.id == id;
    return is_same ? &queued : nullptr;
}

bool NoteQueue::add(RecordId id, Duration at, AuditNote note) noexcept
{
    if (note.detail.size() > limits::audit_detail_bytes_max) {
        drop_one();
        return false;
    }
    try {
        const bool is_plain = note.detail.empty();
        const std::size_t hash = hash_of(id, note);
        const std::lock_guard guard{mutex_};
        if (is_plain) {
            if (QueuedNote* const same = find_same(hash, id, note)) {
                ++same->times;
                same->last_at = at;
                return false;
            }
        }
        const std::size_t count = waiting_.size() + taken_count_;
        if (count >= limits::audit_notes_max) {
            drop_one();
            return false;
        }
        waiting_.push_back({.id = std::move(id), .at = at, .note = std::move(note)});
        waiting_count_.store(waiting_.size());
        if (is_plain) places_.try_emplace(hash, waiting_.size() - 1);
        return waiting_.size() == 1;
    } catch (const std::exception&) {
        drop_one();  // out of memory: a note is not worth more
        return false;
    }
}

std::vector<QueuedNote> NoteQueue::take()
{
    const std::lock_guard guard{mutex_};
    std::vector<QueuedNote> taken = std::exchange(waiting_, {});
    waiting_count_.store(0);
    places_.clear();
    taken_count_ += taken.size();
    return taken;
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
    std::uint64_t decisions = 0;
    for (const QueuedNote& one : taken) decisions += one.times;
    dropped_.fetch_add(decisions, std::memory_order_relaxed);
    landed(taken);
}

}  // namespace umavez
