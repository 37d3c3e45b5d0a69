// Due work and sweeps: what the indexes are for.

#include "core/decide.hpp"
#include "store/place.hpp"
#include "store/redis/queries.hpp"
#include "store/redis/record_bytes.hpp"
#include "store/redis/requests.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace umavez {
namespace {

// Elements of up to 64 names, of up to 16 partitions in a call, which takes a millisecond then.
constexpr long long ripened_at_once = 2;

// An element of the queue, and the names in it that this sweep looks at.
struct Element {
    std::size_t partition = 0;
    std::string text;
    std::string at;
    std::string rest;  // names that this sweep does not look at
};

struct Ripe {
    std::vector<Element> elements;
    std::vector<std::string> names;
    bool is_full = false;  // as many names as were asked for
};

void add_names(Ripe& ripe, Element element, std::size_t count_max)
{
    std::string_view rest = element.text;
    while (!rest.empty()) {
        if (ripe.names.size() == count_max) break;
        const std::size_t space = std::min(rest.find(' '), rest.size());
        ripe.names.emplace_back(rest.substr(0, space));
        rest.remove_prefix(std::min(space + 1, rest.size()));
    }
    element.rest = rest;
    ripe.elements.push_back(std::move(element));
}

// Looks at every run whose lease may be over: what follows from it is in the queues afterwards.
Async<void> ripen(RedisClient& client)
{
    std::vector<std::size_t> partitions(redis_partitions);
    std::iota(partitions.begin(), partitions.end(), 0u);
    while (!partitions.empty()) {
        std::vector<RedisRequest> requests(partitions.size());
        for (std::size_t i = 0; i < partitions.size(); ++i) {
            requests[i].script = Script::ripen;
            requests[i].lane = partitions[i];
            requests[i].key(client.names().leases(partitions[i]));
            requests[i].key(client.names().queue(partitions[i]));
            requests[i].argument(std::string_view{std::to_string(ripened_at_once)});
        }
        auto exchange = client.send(requests);
        co_await exchange;
        if (auto trouble = first_trouble(requests); !trouble) {
            co_return std::unexpected(trouble.error());
        }
        partitions.clear();
        for (const RedisRequest& request : requests) {
            if (request.reply->integer == ripened_at_once) partitions.push_back(request.lane);
        }
    }
    co_return Result<void>{};
}

Async<Ripe> query_ripe(RedisClient& client, std::size_t count_max)
{
    std::vector<RedisRequest> requests(redis_partitions);
    for (std::size_t i = 0; i < redis_partitions; ++i) {
        requests[i].script = Script::ripe;
        requests[i].lane = i;
        requests[i].key(client.names().queue(i));
        requests[i].argument(std::string_view{std::to_string(count_max)});
    }
    auto exchange = client.send(requests);
    co_await exchange;
    if (auto trouble = first_trouble(requests); !trouble)
        co_return std::unexpected(trouble.error());
    Ripe ripe;
    for (const RedisRequest& request : requests) {
        const redisReply& elements = *request.reply;
        for (std::size_t i = 0; i + 1 < elements.elements && ripe.names.size() < count_max;
             i += 2) {
            Element element{
                .partition = request.lane,
                .text = std::string{text_of(*elements.element[i])},
                .at = std::string{text_of(*elements.element[i + 1])},
            };
            add_names(ripe, std::move(element), count_max);
        }
    }
    ripe.is_full = ripe.names.size() >= count_max;
    // A record that was queued twice is looked at once.
    std::ranges::sort(ripe.names);
    const auto repeated = std::ranges::unique(ripe.names);
    ripe.names.erase(repeated.begin(), repeated.end());
    co_return ripe;
}

struct Forgetting {
    std::vector<RedisRequest> requests;
    std::vector<RecordId> ids;
    std::optional<std::string> unreadable;
};

// What is to be done with a record that was read.
void add_forgetting(
    Forgetting& all, const RedisNames& names, const std::string& name, const RedisRequest& found
)
{
    if (found.reply->type == REDIS_REPLY_NIL) return;  // the server let it go
    const std::string_view value = text_of(*found.reply);
    auto named = decode_brief(value);
    if (!named) {
        // Left alone, and out of the queue: no later sweep could read it either.
        if (!all.unreadable) all.unreadable = name + ": " + named.error().detail;
        return;
    }
    const bool spent = is_spent(named->record, found.now);
    const std::optional<Instant> at = spent_at(named->record);
    const std::string again_at = at ? std::to_string(to_micros(*at)) : "0";
    RedisRequest request;
    request.script = Script::forget;
    request.lane = names.partition_of(name);
    request.key(name);
    request.key(names.due(request.lane, named->id.operation));
    request.argument(value.substr(redis_head_first, redis_head_bytes));
    request.argument(std::string_view{spent ? std::string{} : again_at});
    all.requests.push_back(std::move(request));
    all.ids.push_back(std::move(named->id));
}

Async<Forgetting> look_at(RedisClient& client, std::vector<std::string> names)
{
    std::erase_if(names, [&client](const std::string& name) {
        return client.names().partition_of(name) == redis_partitions;
    });
    std::vector<RedisRequest> finds;
    finds.reserve(names.size());
    for (const std::string& name : names) {
        finds.push_back(find_request(client.names(), name, Extent::brief));
    }
    auto exchange = client.send(finds);
    co_await exchange;
    if (auto trouble = first_trouble(finds); !trouble) co_return std::unexpected(trouble.error());
    Forgetting forgetting;
    for (std::size_t i = 0; i < finds.size(); ++i) {
        add_forgetting(forgetting, client.names(), names[i], finds[i]);
    }
    co_return forgetting;
}

Async<void> settle(RedisClient& client, std::vector<Element> elements)
{
    std::vector<RedisRequest> requests;
    requests.reserve(elements.size());
    for (const Element& element : elements) {
        RedisRequest request;
        request.script = Script::settle;
        request.lane = element.partition;
        request.key(client.names().queue(element.partition));
        request.argument(std::string_view{element.text});
        request.argument(std::string_view{element.at});
        request.argument(std::string_view{element.rest});
        requests.push_back(std::move(request));
    }
    auto exchange = client.send(requests);
    co_await exchange;
    co_return first_trouble(requests);
}

void add_due(
    std::vector<RedisRequest>& requests,
    const RedisNames& names,
    const DueQuery& query,
    bool abandoned
)
{
    for (const Operation& operation : abandoned ? query.abandoned : query.in_doubt) {
        for (std::size_t partition = 0; partition < redis_partitions; ++partition) {
            RedisRequest request;
            request.script = Script::due;
            request.lane = partition;
            request.key(names.due(partition, operation));
            request.argument(std::string_view{abandoned ? "abandoned" : "in_doubt"});
            request.argument(std::string_view{std::to_string(query.count_max)});
            requests.push_back(std::move(request));
        }
    }
}

}  // namespace

Async<Swept> sweep_records(RedisClient& client, std::size_t count_max)
{
    Swept swept;
    if (auto ripened = co_await ripen(client); !ripened) {
        co_return std::unexpected(ripened.error());
    }
    auto ripe = co_await query_ripe(client, count_max);
    if (!ripe) co_return std::unexpected(ripe.error());
    if (ripe->elements.empty()) co_return swept;
    auto forgetting = co_await look_at(client, std::move(ripe->names));
    if (!forgetting) co_return std::unexpected(forgetting.error());
    swept.unreadable = std::move(forgetting->unreadable);
    swept.has_more = ripe->is_full;

    auto exchange = client.send(forgetting->requests);
    co_await exchange;
    if (auto trouble = first_trouble(forgetting->requests); !trouble) {
        co_return std::unexpected(trouble.error());
    }
    for (std::size_t i = 0; i < forgetting->requests.size(); ++i) {
        const bool is_gone = forgetting->requests[i].reply->integer == 1;
        if (is_gone) swept.ids.push_back(std::move(forgetting->ids[i]));
    }
    std::ranges::sort(swept.ids);
    // Last: if this fails, the next sweep finds the names again, and nothing behind them.
    auto settled = co_await settle(client, std::move(ripe->elements));
    if (!settled) co_return std::unexpected(settled.error());
    co_return swept;
}

Async<Due> query_due(RedisClient& client, DueQuery query)
{
    Due due;
    if (!query.abandoned.empty()) {
        if (auto ripened = co_await ripen(client); !ripened) {
            co_return std::unexpected(ripened.error());
        }
    }
    std::vector<RedisRequest> requests;
    add_due(requests, client.names(), query, true);
    add_due(requests, client.names(), query, false);
    // Any answer tells the time.
    if (requests.empty()) {
        requests.push_back(find_request(client.names(), client.names().sentinel(), Extent::brief));
        requests.back().lane = 0;
    }
    auto exchange = client.send(requests);
    co_await exchange;
    if (auto trouble = first_trouble(requests); !trouble)
        co_return std::unexpected(trouble.error());
    std::vector<Overdue> overdue;
    for (const RedisRequest& request : requests) {
        due.now = std::max(due.now, request.now);
        const std::size_t count =
            request.reply->type == REDIS_REPLY_ARRAY ? request.reply->elements : 0;
        for (std::size_t i = 0; i < count; ++i) {
            auto named = decode_record(text_of(*request.reply->element[i]));
            if (!named) {
                if (!due.unreadable) due.unreadable = named.error().detail;
                continue;
            }
            const auto since = due_since(query, named->id, named->record, request.now);
            if (since) overdue.push_back({*since, *std::move(named)});
        }
    }
    std::ranges::sort(overdue, std::less{});
    if (overdue.size() > query.count_max) {
        overdue.erase(
            overdue.begin() + static_cast<std::ptrdiff_t>(query.count_max), overdue.end()
        );
    }
    for (Overdue& one : overdue) due.records.push_back(std::move(one.named));
    co_return due;
}

}  // namespace umavez
