#include "store/memory/memory_store.hpp"

#include "base/limits.hpp"
#include "base/random.hpp"
#include "store/memory/shard.hpp"
#include "store/place.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <deque>
#include <span>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace umavez {
namespace {

class MemoryStore final : public Store {
public:
    explicit MemoryStore(const MemoryStoreOptions& options)
        : traits_{.name = "memory", .durable = options.declared_durable, .cache = true},
          seed_(options.hash_seed != 0 ? options.hash_seed : system_random().next()),
          clock_(options.clock != nullptr ? *options.clock : system_clock())
    {
        const std::size_t count = std::bit_ceil(std::max<std::size_t>(options.shards, 1));
        for (std::size_t i = 0; i < count; ++i) shards_.emplace_back(clock_, options.audit);
    }

    const StoreTraits& traits() const noexcept override { return traits_; }

    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        if (batch.size() > limits::batch_members_max)
            return Async<std::vector<Found>>::ready(too_many());
        std::vector<Found> found(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) insert_or_get(batch[i], found[i]);
        return Async<std::vector<Found>>::ready(std::move(found));
    }

    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        if (batch.size() > limits::batch_members_max)
            return Async<std::vector<Replaced>>::ready(too_many());
        std::vector<Replaced> replaced(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            Replacement& member = batch[i];
            Change change{member.expected, std::move(member.next), std::move(member.audit)};
            replace(member.id, change, replaced[i]);
        }
        return Async<std::vector<Replaced>>::ready(std::move(replaced));
    }

    Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) override
    {
        if (batch.size() > limits::batch_members_max)
            return Async<std::vector<Replaced>>::ready(too_many());
        std::vector<Replaced> replaced(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const std::uint64_t hash = hash_of(view(batch[i].id));
            shard_of(hash).heartbeat(hash, batch[i], replaced[i]);
        }
        return Async<std::vector<Replaced>>::ready(std::move(replaced));
    }

    Async<void> insert_or_get_one(Insertion& insertion, Found& found) override
    {
        insert_or_get(insertion, found);
        return Async<void>::ready(Result<void>{});
    }

    Async<void> replace_one(const RecordId& id, Change& change, Replaced& replaced) override
    {
        replace(id, change, replaced);
        return Async<void>::ready(Result<void>{});
    }

    Async<Sighting> find(RecordId id) override
    {
        const std::uint64_t hash = hash_of(view(id));
        return Async<Sighting>::ready(shard_of(hash).find({view(id), hash}));
    }

    void look_at(const RecordIdView& id, const Look& look) const override
    {
        const std::uint64_t hash = hash_of(id);
        shard_of(hash).look_at({id, hash}, look);
    }

    // One shard after the other, from where the last sweep stopped: nobody waits for more than one
    // of them. The audit has no retention of its own here: it is bounded per key and goes with the
    // record.
    Async<Swept> sweep(std::size_t count_max, Duration /*audit_retention*/) override
    {
        Swept swept;
        for (std::size_t i = 0; i < shards_.size() && swept.ids.size() < count_max; ++i) {
            const std::size_t next = sweep_next_.fetch_add(1, std::memory_order_relaxed);
            shards_[next & (shards_.size() - 1)].sweep(count_max - swept.ids.size(), swept.ids);
        }
        std::ranges::sort(swept.ids);
        swept.has_more = swept.ids.size() == count_max;
        return Async<Swept>::ready(std::move(swept));
    }

    Async<Due> due(DueQuery query) override
    {
        std::vector<Overdue>
            overdue;  // a heap of the `count_max` longest overdue, the least so in front
        for (const Shard& shard : shards_) {
            shard.each_open([&](const RecordId& id, const Record& record, Instant now) {
                const std::optional<Instant> since = due_since(query, id, record, now);
                if (!since) return;
                overdue.push_back({*since, {id, record}});
                std::ranges::push_heap(overdue, std::less{});
                if (overdue.size() <= query.count_max) return;
                std::ranges::pop_heap(overdue, std::less{});
                overdue.pop_back();
            });
        }
        std::ranges::sort(overdue, std::less{});
        Due found{.records = {}, .now = clock_.now()};
        found.records.reserve(overdue.size());
        for (Overdue& one : overdue) found.records.push_back(std::move(one.named));
        return Async<Due>::ready(std::move(found));
    }

    Async<RecordsPage> scan(RecordsQuery query) override
    {
        const auto after = parse_cursor(query.cursor);
        if (!after) return Async<RecordsPage>::ready(std::unexpected(after.error()));
        // One more than asked for tells whether another page follows.
        const std::size_t wanted =
            std::clamp<std::size_t>(query.count_max, 1, limits::scan_page_max) + 1;
        std::vector<Place> first;  // a heap of the first `wanted`, the last of them in front
        for (const Shard& shard : shards_) {
            shard.each([&](const RecordId& id, const Record& record, Instant) {
                if (!is_wanted(query, id, record)) return;
                Place place{record.created_at, id};
                if (*after && !(**after < place)) return;
                const bool is_full = first.size() == wanted;
                if (is_full && first.front() < place) return;
                first.push_back(std::move(place));
                std::ranges::push_heap(first, std::less{});
                if (!is_full) return;
                std::ranges::pop_heap(first, std::less{});
                first.pop_back();
            });
        }
        std::ranges::sort(first, std::less{});
        return Async<RecordsPage>::ready(read_page(query, first, wanted - 1));
    }

    Async<StoreCounts> count() override
    {
        std::array<StoreCount, 4> counts{};
        for (const Status status :
             {Status::processing, Status::succeeded, Status::failed, Status::in_doubt}) {
            counts[static_cast<std::size_t>(status)].status = status;
        }
        for (const Shard& shard : shards_) {
            shard.each([&](const RecordId&, const Record& record, Instant) {
                counts[static_cast<std::size_t>(record.status)].add(record);
            });
        }
        StoreCounts answer{.by_status = {counts.begin(), counts.end()}, .now = clock_.now()};
        return Async<StoreCounts>::ready(std::move(answer));
    }

    void note(RecordId id, AuditNote audit) noexcept override
    {
        const std::uint64_t hash = hash_of(view(id));
        shard_of(hash).note({view(id), hash}, std::move(audit));
    }

    Async<std::vector<AuditEntry>> timeline(RecordId id, std::size_t count_max) override
    {
        const std::uint64_t hash = hash_of(view(id));
        return Async<std::vector<AuditEntry>>::ready(
            shard_of(hash).timeline({view(id), hash}, count_max)
        );
    }

private:
    static std::unexpected<Error> too_many()
    {
        return fail(
            Errc::limit_exceeded, "a batch has more members than limits::batch_members_max"
        );
    }

    // The records at the first places, as many as their answers' bytes allow: only those are copied.
    RecordsPage read_page(
        const RecordsQuery& query, std::span<const Place> places, std::size_t count_max
    ) const
    {
        RecordsPage page{.records = {}, .next = {}, .now = clock_.now()};
        std::size_t bytes = 0;
        std::size_t seen = 0;
        while (seen < std::min(places.size(), count_max) && bytes < limits::scan_bytes_max) {
            const RecordId& id = places[seen++].id;
            const std::uint64_t hash = hash_of(view(id));
            Sighting sighting = shard_of(hash).find({view(id), hash});
            // Swept or changed since it was found.
            if (!sighting.record || !is_wanted(query, id, *sighting.record)) continue;
            if (sighting.record->response) bytes += sighting.record->response->response.body.size();
            page.records.push_back({id, *std::move(sighting.record)});
        }
        if (seen < places.size()) page.next = to_cursor(places[seen - 1]);
        return page;
    }

    void insert_or_get(Insertion& insertion, Found& found)
    {
        const std::uint64_t hash = hash_of(view(insertion.id));
        shard_of(hash).insert_or_get(hash, std::move(insertion), found);
    }

    void replace(const RecordId& id, Change& change, Replaced& replaced)
    {
        const std::uint64_t hash = hash_of(view(id));
        shard_of(hash).replace({view(id), hash}, std::move(change), replaced);
    }

    // Each text seeds the next, so no two identities share their bytes by accident of
    // concatenation.
    std::uint64_t hash_of(const RecordIdView& id) const noexcept
    {
        std::uint64_t hash = seed_;
        for (const std::string* text :
             {&id.tenant_id.text(), &id.operation.text(), &id.key.text()}) {
            hash = XXH3_64bits_withSeed(text->data(), text->size(), hash);
        }
        return hash;
    }

    // The table uses the highest and the lowest bits.
    Shard& shard_of(std::uint64_t hash) { return shards_[(hash >> 16) & (shards_.size() - 1)]; }
    const Shard& shard_of(std::uint64_t hash) const
    {
        return shards_[(hash >> 16) & (shards_.size() - 1)];
    }

    const StoreTraits traits_;
    const std::uint64_t seed_;
    const StoreClock clock_;
    std::deque<Shard> shards_;  // a deque: shards do not move
    std::atomic<std::size_t> sweep_next_{0};
};

}  // namespace

std::unique_ptr<Store> make_memory_store(const MemoryStoreOptions& options)
{
    return std::make_unique<MemoryStore>(options);
}

}  // namespace umavez
