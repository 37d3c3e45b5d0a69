#include "store/redis/redis_store.hpp"

#include "base/limits.hpp"
#include "store/redis/client.hpp"
#include "store/redis/queries.hpp"
#include "store/redis/record_bytes.hpp"
#include "store/redis/requests.hpp"

#include <array>
#include <atomic>
#include <exception>
#include <utility>

namespace umavez {
namespace {

std::unexpected<Error> too_many()
{
    return fail(Errc::limit_exceeded, "a batch has more members than limits::batch_members_max");
}

class RedisStore final : public Store {
public:
    RedisStore(RedisUrl url, const RedisStoreOptions& options)
        : client_(std::move(url), options.clock), audit_(options.audit)
    {
    }
    Result<void> start() { return client_.start(); }

    const StoreTraits& traits() const noexcept override { return traits_; }

    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        if (batch.size() > limits::batch_members_max) co_return too_many();
        std::vector<RedisRequest> requests;
        requests.reserve(batch.size());
        for (const Insertion& each : batch) {
            requests.push_back(insert_request(client_.names(), each, audit_));
        }
        auto exchange = client_.send(requests);
        co_await exchange;
        if (auto trouble = first_trouble(requests); !trouble) {
            co_return std::unexpected(trouble.error());
        }
        std::vector<Found> found(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            auto read = read_inserted(requests[i], batch[i], found[i]);
            if (!read) co_return std::unexpected(read.error());
        }
        co_return found;
    }

    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        if (batch.size() > limits::batch_members_max) co_return too_many();
        std::vector<Change> changes;
        std::vector<RedisRequest> requests;
        requests.reserve(batch.size());
        for (Replacement& each : batch) {
            changes.push_back({each.expected, std::move(each.next), std::move(each.audit)});
            requests.push_back(replace_request(client_.names(), each.id, changes.back(), audit_));
        }
        auto exchange = client_.send(requests);
        co_await exchange;
        if (auto trouble = first_trouble(requests); !trouble) {
            co_return std::unexpected(trouble.error());
        }
        std::vector<Replaced> replaced(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            auto read = read_replaced(requests[i], batch[i].id, changes[i], replaced[i]);
            if (!read) co_return std::unexpected(read.error());
        }
        co_return replaced;
    }

    Async<void> insert_or_get_one(Insertion& insertion, Found& found) override
    {
        std::array<RedisRequest, 1> requests{insert_request(client_.names(), insertion, audit_)};
        auto exchange = client_.send(requests);
        co_await exchange;
        if (!requests[0].status) co_return std::unexpected(requests[0].status.error());
        co_return read_inserted(requests[0], insertion, found);
    }

    Async<void> replace_one(const RecordId& id, Change& change, Replaced& replaced) override
    {
        std::array<RedisRequest, 1> requests{replace_request(client_.names(), id, change, audit_)};
        auto exchange = client_.send(requests);
        co_await exchange;
        if (!requests[0].status) co_return std::unexpected(requests[0].status.error());
        co_return read_replaced(requests[0], id, change, replaced);
    }

    Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) override
    {
        if (batch.size() > limits::batch_members_max) co_return too_many();
        std::vector<RedisRequest> requests;
        requests.reserve(batch.size());
        for (const Heartbeat& each : batch)
            requests.push_back(heartbeat_request(client_.names(), each));
        auto exchange = client_.send(requests);
        co_await exchange;
        if (auto trouble = first_trouble(requests); !trouble) {
            co_return std::unexpected(trouble.error());
        }
        std::vector<Replaced> replaced(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            auto read = read_heartbeat(requests[i], batch[i].id, replaced[i]);
            if (read) continue;
            if (read.error().code != Errc::corrupt_record) co_return std::unexpected(read.error());
            // As if it were not there: its neighbours keep their leases.
            replaced[i] = {.done = false, .record = std::nullopt, .now = requests[i].now};
        }
        co_return replaced;
    }

    Async<Sighting> find(RecordId id) override
    {
        std::array<RedisRequest, 1> requests{find_request(client_.names(), id, Extent::record)};
        auto exchange = client_.send(requests);
        co_await exchange;
        if (!requests[0].status) co_return std::unexpected(requests[0].status.error());
        auto record = read_found(requests[0], id);
        if (!record) co_return std::unexpected(record.error());
        co_return Sighting{.record = *std::move(record), .now = requests[0].now};
    }

    // The audit has no retention of its own: it is bounded per key and goes with the record.
    Async<Swept> sweep(std::size_t count_max, Duration /*audit_retention*/) override
    {
        return sweep_records(client_, count_max);
    }

    Async<Due> due(DueQuery query) override { return query_due(client_, std::move(query)); }
    Async<RecordsPage> scan(RecordsQuery query) override
    {
        return query_scan(client_, std::move(query));
    }
    Async<StoreCounts> count() override { return query_count(client_); }

    void note(RecordId id, AuditNote audit) noexcept override
    {
        if (!audit_) return;
        try {
            client_.note(note_request(client_.names(), id, audit));
        } catch (const std::exception&) {  // no memory: nobody waits for a note
            notes_lost_.fetch_add(1, std::memory_order_relaxed);
        }
    }

    StoreLosses losses() const noexcept override
    {
        return {
            .notes = client_.notes_dropped() + notes_lost_.load(std::memory_order_relaxed),
            .emptied = client_.times_emptied(),
        };
    }

    Async<std::vector<AuditEntry>> timeline(RecordId id, std::size_t count_max) override
    {
        std::array<RedisRequest, 1> requests{find_request(client_.names(), id, Extent::story)};
        auto exchange = client_.send(requests);
        co_await exchange;
        if (!requests[0].status) co_return std::unexpected(requests[0].status.error());
        if (requests[0].reply->type == REDIS_REPLY_NIL) co_return std::vector<AuditEntry>{};
        co_return decode_story(id, text_of(*requests[0].reply), count_max);
    }

private:
    const StoreTraits traits_{
        .name = "redis", .durable = false, .transactional = false, .cache = true
    };
    RedisClient client_;
    const bool audit_;
    std::atomic<std::uint64_t> notes_lost_{0};
};

}  // namespace

Result<std::unique_ptr<Store>> open_redis_store(
    std::string_view url, const RedisStoreOptions& options
)
{
    auto parsed = parse_redis_url(url);
    if (!parsed) return std::unexpected(parsed.error());
    auto store = std::make_unique<RedisStore>(*std::move(parsed), options);
    if (auto started = store->start(); !started) return std::unexpected(started.error());
    return store;
}

}  // namespace umavez
