#include "store/memory/shard.hpp"

#include "core/decide.hpp"
#include "store/place.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace umavez {
namespace {

// A run expires one retention after its lease, its completion one retention after that was written: the
// earlier time is queued with the claim, so that the completion need not be.
std::optional<Instant> spent_at_the_earliest(const Record& record) noexcept
{
    const std::optional<Instant> at = spent_at(record);
    if (!at || is_completed(record)) return at;
    return *at - (*record.processing_expires_at - record.updated_at);
}

}  // namespace

void Shard::insert_or_get(std::uint64_t hash, Insertion&& insertion, Found& answer)
{
    const std::lock_guard guard{mutex_};
    const Instant now = clock_.now();
    answer.now = now;
    if (const Entry* const there = entry_of({view(insertion.id), hash})) {
        answer.inserted = false;
        answer.record = there->record;
        return;
    }
    std::optional<AuditNote> note = std::move(insertion.audit);
    auto made = std::make_unique<Entry>(std::move(insertion), now);
    Entry& entry = *made;
    audit(entry, note, now);
    slots_.emplace(Slot{hash, std::move(made)});
    index(entry, hash);
    answer.inserted = true;
    answer.record = entry.record;
}

void Shard::replace(HashedId id, Change&& change, Replaced& answer)
{
    const std::lock_guard guard{mutex_};
    const Instant now = clock_.now();
    answer.now = now;
    Entry* const entry = entry_of(id);
    answer.done = entry != nullptr && matches(entry->record, change.expected, now);
    if (entry == nullptr) {
        answer.record.reset();
        return;
    }
    if (!answer.done) {
        answer.record = entry->record;
        return;
    }
    // The caller has just given the response; copying it back would be the dearest part of a completion.
    std::optional<StoredResponse>& response = change.next.response;
    Record& record = entry->record;
    record.response.reset();
    rewrite(record, std::move(change.next), now);
    answer.record = record;
    if (response) record.response = std::move(response);
    audit(*entry, change.audit, now);
    index(*entry, id.hash);
}

void Shard::heartbeat(std::uint64_t hash, const Heartbeat& heartbeat, Replaced& answer)
{
    const std::lock_guard guard{mutex_};
    const Instant now = clock_.now();
    answer.now = now;
    Entry* const entry = entry_of({view(heartbeat.id), hash});
    if (entry == nullptr) return;
    Record& record = entry->record;
    const bool is_ours = record.token == heartbeat.token && record.status == Status::processing;
    if (is_ours) {
        record.processing_expires_at = now + heartbeat.lease;
        if (heartbeat.expires_in) record.expires_at = now + *heartbeat.expires_in;
        index(*entry, hash);
    }
    answer.done = is_ours;
    answer.record = record;
}

Sighting Shard::find(HashedId id) const
{
    const std::lock_guard guard{mutex_};
    const Entry* const entry = entry_of(id);
    return {
        .record = entry == nullptr ? std::nullopt : std::optional{entry->record},
        .now = clock_.now(),
    };
}

void Shard::look_at(HashedId id, const Look& look) const
{
    const std::lock_guard guard{mutex_};
    if (const Entry* const entry = entry_of(id)) look(entry->record, clock_.now());
}

void Shard::sweep(std::size_t count_max, std::vector<RecordId>& ids)
{
    const std::lock_guard guard{mutex_};
    const Instant now = clock_.now();
    while (count_max > 0 && !deadlines_.empty() && deadlines_.front().at <= now) {
        const Deadline due = deadlines_.front();
        std::ranges::pop_heap(deadlines_, std::greater{});
        deadlines_.pop_back();
        const auto slot = slots_.find(due);
        if (slot == slots_.end()) continue;
        Entry& entry = *slot->entry;
        if (is_spent(entry.record, now)) {
            ids.push_back(std::move(entry.id));
            slots_.erase(slot);
            --count_max;
            continue;
        }
        // Written again since it was queued, or queued early.
        entry.queued_at.reset();
        queue(entry, due.hash, spent_at(entry.record));
    }
}

void Shard::note(HashedId id, AuditNote audit)
{
    if (!audit_) return;
    const std::lock_guard guard{mutex_};
    if (Entry* const entry = entry_of(id)) {
        const FencingToken met{.epoch = audit.epoch};
        entry->audit.push(clock_.now(), met, std::move(audit));
    }
}

std::vector<AuditEntry> Shard::timeline(HashedId id, std::size_t count_max) const
{
    const std::lock_guard guard{mutex_};
    const Entry* const entry = entry_of(id);
    if (entry == nullptr) return {};
    return entry->audit.list(entry->id, count_max);
}

Shard::Entry* Shard::entry_of(HashedId id) const
{
    const auto slot = slots_.find(id);
    return slot == slots_.end() ? nullptr : slot->entry.get();
}

void Shard::index(Entry& entry, std::uint64_t hash)
{
    const bool is_open = !is_completed(entry.record);
    if (is_open && !entry.is_linked()) open_.push_back(entry);
    if (!is_open) entry.unlink();
    queue(entry, hash, spent_at_the_earliest(entry.record));
}

void Shard::queue(Entry& entry, std::uint64_t hash, std::optional<Instant> at)
{
    // A later deadline waits for the queued one to come up; only an earlier one must be queued now.
    if (!at || (entry.queued_at && *entry.queued_at <= *at)) return;
    deadlines_.push_back({*at, hash});
    std::ranges::push_heap(deadlines_, std::greater{});
    entry.queued_at = at;
}

void Shard::audit(Entry& entry, std::optional<AuditNote>& note, Instant now) const
{
    if (audit_ && note) entry.audit.push(now, entry.record.token, std::move(*note));
}

}  // namespace umavez
