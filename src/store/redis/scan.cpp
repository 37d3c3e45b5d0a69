// Pages and counts: a walk over all records.

#include "base/limits.hpp"
#include "store/place.hpp"
#include "store/redis/queries.hpp"
#include "store/redis/record_bytes.hpp"
#include "store/redis/requests.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace umavez {
namespace {

constexpr std::string_view names_per_step = "1000";

// One step of the walk: names, and where the next begins; "0" is the end.
struct Step {
    std::vector<std::string> names;
    std::string next;
};

Result<Step> read_step(const redisReply& reply)
{
    const bool is_step = reply.type == REDIS_REPLY_ARRAY && reply.elements == 2 &&
                         reply.element[1]->type == REDIS_REPLY_ARRAY;
    if (!is_step) return fail(Errc::corrupt_record, "Redis answered SCAN in another shape");
    Step step;
    step.next = text_of(*reply.element[0]);
    for (std::size_t i = 0; i < reply.element[1]->elements; ++i) {
        step.names.emplace_back(text_of(*reply.element[1]->element[i]));
    }
    return step;
}

Async<Step> walk(RedisClient& client, std::string cursor)
{
    std::array<RedisRequest, 1> requests;
    append_command(
        requests[0].keys,
        "SCAN",
        cursor,
        "MATCH",
        client.names().record_pattern(),
        "COUNT",
        names_per_step
    );
    auto exchange = client.send(requests);
    co_await exchange;
    if (!requests[0].status) co_return std::unexpected(requests[0].status.error());
    co_return read_step(*requests[0].reply);
}

struct Briefs {
    std::vector<NamedRecord> records;
    std::string next;
    std::optional<std::string> unreadable;
};

void tell(std::optional<std::string>& unreadable, std::string_view name, const Error& error)
{
    if (!unreadable) unreadable = std::string{name} + ": " + error.detail;
}

// The records of one step, without their answers; a walk may meet one twice.
Async<Briefs> walk_briefs(RedisClient& client, std::string cursor)
{
    auto step = co_await walk(client, std::move(cursor));
    if (!step) co_return std::unexpected(step.error());
    std::erase_if(step->names, [&client](const std::string& name) {
        return client.names().partition_of(name) == redis_partitions;  // a stranger's
    });
    std::vector<RedisRequest> requests;
    for (const std::string& name : step->names) {
        requests.push_back(find_request(client.names(), name, Extent::brief));
    }
    auto exchange = client.send(requests);
    co_await exchange;
    if (auto trouble = first_trouble(requests); !trouble)
        co_return std::unexpected(trouble.error());
    Briefs briefs{.records = {}, .next = std::move(step->next), .unreadable = {}};
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (requests[i].reply->type == REDIS_REPLY_NIL) continue;
        auto named = decode_brief(text_of(*requests[i].reply));
        if (named) {
            briefs.records.push_back(*std::move(named));
        } else {
            tell(briefs.unreadable, step->names[i], named.error());
        }
    }
    co_return briefs;
}

struct Places {
    std::vector<Place> first;
    std::optional<std::string> unreadable;
};

// The first `wanted` places behind the cursor.
Async<Places> first_places(
    RedisClient& client, RecordsQuery query, std::optional<Place> after, std::size_t wanted
)
{
    std::set<Place> first;
    std::optional<std::string> unreadable;
    std::string cursor = "0";
    do {
        auto briefs = co_await walk_briefs(client, cursor);
        if (!briefs) co_return std::unexpected(briefs.error());
        if (!unreadable) unreadable = std::move(briefs->unreadable);
        for (NamedRecord& named : briefs->records) {
            if (!is_wanted(query, named.id, named.record)) continue;
            Place place{named.record.created_at, std::move(named.id)};
            if (after && !(*after < place)) continue;
            first.insert(std::move(place));
            if (first.size() > wanted) first.erase(std::prev(first.end()));
        }
        cursor = briefs->next;
    } while (cursor != "0");
    co_return Places{.first = {first.begin(), first.end()}, .unreadable = std::move(unreadable)};
}

}  // namespace

Async<RecordsPage> query_scan(RedisClient& client, RecordsQuery query)
{
    auto after = parse_cursor(query.cursor);
    if (!after) co_return std::unexpected(after.error());
    const std::size_t count_max =
        std::clamp<std::size_t>(query.count_max, 1, limits::scan_page_max);
    // One more than asked for tells whether another page follows.
    auto found = co_await first_places(client, query, *std::move(after), count_max + 1);
    if (!found) co_return std::unexpected(found.error());
    const std::vector<Place>& places = found->first;

    RecordsPage page;
    page.unreadable = std::move(found->unreadable);
    std::size_t bytes = 0;
    std::size_t seen = 0;
    while (seen < std::min(places.size(), count_max) && bytes < limits::scan_bytes_max) {
        const RecordId& id = places[seen++].id;
        std::array<RedisRequest, 1> requests{find_request(client.names(), id, Extent::record)};
        auto exchange = client.send(requests);
        co_await exchange;
        if (!requests[0].status) co_return std::unexpected(requests[0].status.error());
        page.now = requests[0].now;
        auto record = read_found(requests[0], id);
        if (!record) {
            tell(page.unreadable, client.names().record(id), record.error());
            continue;
        }
        // Gone or changed since it was met.
        if (!*record || !is_wanted(query, id, **record)) continue;
        if ((*record)->response) bytes += (*record)->response->response.body.size();
        page.records.push_back({id, **std::move(record)});
    }
    if (seen < places.size()) page.next = to_cursor(places[seen - 1]);
    co_return page;
}

// A record that the walk meets twice, which happens while the server's table shrinks, counts twice:
// remembering all of them would take the memory of a store of millions for a gauge.
Async<StoreCounts> query_count(RedisClient& client)
{
    std::array<StoreCount, 4> counts{};
    for (const Status status :
         {Status::processing, Status::succeeded, Status::failed, Status::in_doubt}) {
        counts[static_cast<std::size_t>(status)].status = status;
    }
    std::optional<std::string> unreadable;
    std::string cursor = "0";
    do {
        auto briefs = co_await walk_briefs(client, cursor);
        if (!briefs) co_return std::unexpected(briefs.error());
        if (!unreadable) unreadable = std::move(briefs->unreadable);
        for (const NamedRecord& named : briefs->records) {
            const Record& record = named.record;
            counts[static_cast<std::size_t>(record.status)].add(record);
        }
        cursor = briefs->next;
    } while (cursor != "0");
    // Any answer tells the time.
    std::array<RedisRequest, 1> requests;
    requests[0] = find_request(client.names(), client.names().sentinel(), Extent::brief);
    requests[0].lane = 0;
    auto exchange = client.send(requests);
    co_await exchange;
    if (!requests[0].status) co_return std::unexpected(requests[0].status.error());
    co_return StoreCounts{
        .by_status = {counts.begin(), counts.end()},
        .now = requests[0].now,
        .unreadable = std::move(unreadable),
    };
}

}  // namespace umavez
