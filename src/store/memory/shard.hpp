#pragma once

// Shard: one part of the memory store's records, behind one mutex.
//
// Besides the table it keeps two indexes, so that workers never walk all records under the lock: the open
// records (processing, in doubt) in a list for due(), and a heap of deadlines for sweep(). A deadline in the
// heap is a hint: it is checked against the record when it comes up, and each record has one that counts.
//
// Thread-safe.

#include "base/store_clock.hpp"
#include "store/memory/audit_ring.hpp"
#include "store/store.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace umavez {

// Hashed once per call, outside the lock.
struct HashedId {
    RecordIdView id;
    std::uint64_t hash;
};

inline RecordIdView view(const RecordId& id) noexcept
{
    return {id.tenant_id, id.operation, id.key};
}

class alignas(64) Shard {
public:
    // `clock` outlives the shard; both belong to the store.
    Shard(const StoreClock& clock, bool audit) noexcept : clock_(clock), audit_(audit) {}

    // The answers are filled in: a record is large, and is copied to where it will stay.
    void insert_or_get(std::uint64_t hash, Insertion&& insertion, Found& answer);
    void replace(HashedId id, Change&& change, Replaced& answer);
    void heartbeat(std::uint64_t hash, const Heartbeat& heartbeat, Replaced& answer);
    Sighting find(HashedId id) const;
    void look_at(HashedId id, const Look& look) const;

    // Appends the swept to `ids`, at most `count_max` of them.
    void sweep(std::size_t count_max, std::vector<RecordId>& ids);

    void note(HashedId id, AuditNote audit);
    std::vector<AuditEntry> timeline(HashedId id, std::size_t count_max) const;

    // Calls `visit(const RecordId&, const Record&, Instant now)` for every record, or for the open ones.
    template <typename Visit>
    void each(Visit visit) const
    {
        const std::lock_guard guard{mutex_};
        const Instant now = clock_.now();
        for (const Slot& slot : slots_) visit(slot.entry->id, slot.entry->record, now);
    }
    template <typename Visit>
    void each_open(Visit visit) const
    {
        const std::lock_guard guard{mutex_};
        const Instant now = clock_.now();
        for (const Entry& entry : open_) visit(entry.id, entry.record, now);
    }

private:
    using Hook =
        boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

    struct Entry : Hook {
        Entry(Insertion&& insertion, Instant now)
            : id(std::move(insertion.id)),
              record(to_record(std::move(insertion.draft), nullptr, now))
        {
        }
        RecordId id;
        std::optional<Instant> queued_at;  // its deadline in the heap
        Record record;
        AuditRing audit;
    };

    struct Deadline {
        Instant at;
        std::uint64_t hash;
        friend bool operator>(const Deadline& a, const Deadline& b) noexcept { return a.at > b.at; }
    };

    // Small, and with the hash beside the pointer: growing the table touches no entry.
    struct Slot {
        std::uint64_t hash;
        std::unique_ptr<Entry> entry;
    };
    struct SlotHash {
        using is_transparent = void;
        using is_avalanching = void;
        template <typename Hashed>
        std::size_t operator()(const Hashed& hashed) const noexcept
        {
            return hashed.hash;
        }
    };
    struct SlotEqual {
        using is_transparent = void;
        bool operator()(const Slot& a, const Slot& b) const noexcept
        {
            return a.hash == b.hash && a.entry->id == b.entry->id;
        }
        bool operator()(const HashedId& a, const Slot& b) const noexcept
        {
            const RecordId& id = b.entry->id;
            return a.hash == b.hash && a.id.key == id.key && a.id.operation == id.operation &&
                   a.id.tenant_id == id.tenant_id;
        }
        bool operator()(const Deadline& a, const Slot& b) const noexcept
        {
            return a.hash == b.hash && b.entry->queued_at == a.at;
        }
        template <typename Hashed>
        bool operator()(const Slot& a, const Hashed& b) const noexcept
        {
            return (*this)(b, a);
        }
    };

    Entry* entry_of(HashedId id) const;
    void index(Entry& entry, std::uint64_t hash);
    void queue(Entry& entry, std::uint64_t hash, std::optional<Instant> at);
    void audit(Entry& entry, std::optional<AuditNote>& note, Instant now) const;

    const StoreClock& clock_;
    const bool audit_;

    mutable std::mutex mutex_;  // guards everything below
    boost::intrusive::list<Entry, boost::intrusive::constant_time_size<false>> open_;
    std::vector<Deadline> deadlines_;                             // a heap, the earliest first
    boost::unordered_flat_set<Slot, SlotHash, SlotEqual> slots_;  // entries leave `open_` by themselves
};

}  // namespace umavez
