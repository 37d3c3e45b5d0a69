#include "store/memory/shard.hpp"

#include "core/decide.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace umavez {
namespace {

// When the record will be spent if nobody writes it again; is_spent() has the last word.
std::optional<Instant> spent_at(const Record& record) noexcept
{
    if (!record.expires_at || is_completed(record)) return record.expires_at;
    const bool is_run = record.status == Status::processing && record.mode == Mode::run;
    if (!is_run || !record.processing_expires_at) return std::nullopt;
    return std::max(*record.expires_at, *record.processing_expires_at);
}

// The caller has just given the response; copying it back would be the dearest part of a completion.
Record without_response(Record& record)
{
    std::optional<StoredResponse> response = std::exchange(record.response, std::nullopt);
    Record copy = record;
    record.response = std::move(response);
    return copy;
}

}  // namespace

Found Shard::insert_or_get(std::uint64_t hash, Insertion insertion)
{
    const std::lock_guard guard{mutex_};
    const Instant now = clock_.now();
    if (const Entry* const there = entry_of({insertion.id, hash})) {
        return {.inserted = false, .record = there->record, .now = now};
    }
    auto made = std::make_unique<Entry>(
        std::move(insertion.id), to_record(std::move(insertion.draft), nullptr, now)
    );
    Entry& entry = *made;
    Found found{.inserted = true, .record = without_response(entry.record), .now = now};
    audit(entry, insertion.audit, now);
    slots_.emplace(Slot{hash, std::move(made)});
    index(entry, hash);
    return found;
}

Replaced Shard::replace(std::uint64_t hash, Replacement replacement)
{
    const std::lock_guard guard{mutex_};
    const Instant now = clock_.now();
    Entry* const entry = entry_of({replacement.id, hash});
    if (entry == nullptr) return {.done = false, .record = std::nullopt, .now = now};
    if (!matches(entry->record, replacement.expected, now)) {
        return {.done = false, .record = entry->record, .now = now};
    }
    Record next = to_record(std::move(replacement.next), &entry->record, now);
    Replaced replaced{.done = true, .record = without_response(next), .now = now};
    entry->record = std::move(next);
    audit(*entry, replacement.audit, now);
    index(*entry, hash);
    return replaced;
}

Replaced Shard::heartbeat(std::uint64_t hash, const Heartbeat& heartbeat)
{
    const std::lock_guard guard{mutex_};
    const Instant now = clock_.now();
    Entry* const entry = entry_of({heartbeat.id, hash});
    if (entry == nullptr) return {.done = false, .record = std::nullopt, .now = now};
    Record& record = entry->record;
    if (record.token != heartbeat.token || record.status != Status::processing) {
        return {.done = false, .record = record, .now = now};
    }
    record.processing_expires_at = now + heartbeat.lease;
    if (heartbeat.expires_in) record.expires_at = now + *heartbeat.expires_in;
    index(*entry, hash);
    return {.done = true, .record = record, .now = now};
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
        // Written again since it was queued.
        entry.queued_at.reset();
        index(entry, due.hash);
    }
}

void Shard::note(HashedId id, AuditNote audit)
{
    if (!audit_) return;
    const std::lock_guard guard{mutex_};
    if (Entry* const entry = entry_of(id)) {
        entry->audit.push(clock_.now(), entry->record.token, std::move(audit));
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

    // A later deadline waits for the queued one to come up; only an earlier one must be queued now.
    const std::optional<Instant> at = spent_at(entry.record);
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
