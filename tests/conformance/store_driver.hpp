#pragma once

// StoreDriver: the Store port for tests, one blocking call per member, built from the same
// transitions as the engine's. An error of the store is thrown: here no store is ever unavailable.
// Thread-safe.

#include "core/test_records.hpp"
#include "core/transition.hpp"
#include "store/store.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace umavez::test {

template <typename T>
T must(Result<T> result)
{
    if (!result) {
        const Error& error = result.error();
        throw std::runtime_error(std::string(to_text(error.code)) + ": " + error.detail);
    }
    return *std::move(result);
}

// As a store may leave out the response it was just given.
inline std::optional<Record> without_response(std::optional<Record> record)
{
    if (record) record->response.reset();
    return record;
}

class StoreDriver {
public:
    explicit StoreDriver(Store& store) : store_(store) {}

    Found insert(
        const RecordId& id,
        std::uint8_t execution = 1,
        const Policy& policy = leased_policy(),
        std::optional<AuditNote> audit = std::nullopt
    )
    {
        Insertion insertion{id, claim(policy, execution), std::move(audit)};
        Found found;
        must(wait(store_.insert_or_get_one(insertion, found)));
        return found;
    }
    static Draft claim(const Policy& policy, std::uint8_t execution)
    {
        return claim_draft(
            nullptr, request_of(), policy, Claim{.new_lifetime = true}, execution_of(execution)
        );
    }

    Replaced replace(
        const RecordId& id,
        Expected expected,
        Draft next,
        std::optional<AuditNote> audit = std::nullopt
    )
    {
        Change change{expected, std::move(next), std::move(audit)};
        Replaced replaced;
        must(wait(store_.replace_one(id, change, replaced)));
        return replaced;
    }
    Replaced finish(
        const RecordId& id,
        const Record& owned,
        StoredResponse response = stored(),
        const Policy& policy = leased_policy()
    )
    {
        Draft draft = complete_draft(owned, Status::succeeded, std::move(response), policy);
        return replace(id, settler_expects(owned.token), std::move(draft));
    }
    Replaced release(const RecordId& id, const Record& owned)
    {
        return replace(
            id, owner_expects(owned.token), release_draft(owned, std::nullopt, leased_policy())
        );
    }
    Replaced doubt(const RecordId& id, const Record& owned, Duration retry_in)
    {
        return replace(id, owner_expects(owned.token), doubt_draft(owned, retry_in));
    }
    Replaced hold(const RecordId& id, const Record& read)
    {
        return replace(
            id, takeover_expects(read, leased_policy()), hold_draft(read, leased_policy())
        );
    }
    // A claim of what was read, whatever decide() says of it.
    Replaced take(
        const RecordId& id,
        const Record& read,
        std::uint8_t execution,
        const Policy& policy = leased_policy(OnAbandoned::rerun)
    )
    {
        const bool is_takeover = read.status == Status::processing;
        Draft draft = claim_draft(
            &read, request_of(), policy, {.takeover = is_takeover}, execution_of(execution)
        );
        return replace(
            id,
            is_takeover ? takeover_expects(read, policy) : bystander_expects(read),
            std::move(draft)
        );
    }

    Replaced heartbeat(
        const RecordId& id,
        const FencingToken& token,
        Duration lease = 30s,
        std::optional<Duration> expires_in = std::nullopt
    )
    {
        std::vector<Heartbeat> batch;
        batch.push_back({id, token, lease, expires_in});
        return must(wait(store_.heartbeat(std::move(batch)))).at(0);
    }

    std::optional<Record> find(const RecordId& id) { return must(wait(store_.find(id))).record; }

    // Nullopt: there is none, or the store has none at hand.
    std::optional<Record> look_at(const RecordId& id) const
    {
        std::optional<Record> shown;
        store_.look_at({id.tenant_id, id.operation, id.key}, [&](const Record& record, Instant) {
            shown = record;
        });
        return shown;
    }
    Instant now() { return must(wait(store_.find(id_of("nobody")))).now; }

    std::vector<RecordId> sweep(std::size_t count_max = 1'000, Duration audit_retention = 24h * 90)
    {
        return must(wait(store_.sweep(count_max, audit_retention))).ids;
    }
    std::vector<NamedRecord> due(DueQuery query)
    {
        return must(wait(store_.due(std::move(query)))).records;
    }
    RecordsPage page(RecordsQuery query) { return must(wait(store_.scan(std::move(query)))); }
    // All pages.
    std::vector<NamedRecord> scan(RecordsQuery query)
    {
        std::vector<NamedRecord> all;
        do {
            RecordsPage next = page(query);
            std::ranges::move(next.records, std::back_inserter(all));
            query.cursor = next.next;
        } while (!query.cursor.empty());
        return all;
    }
    StoreCounts count() { return must(wait(store_.count())); }
    std::vector<AuditEntry> timeline(const RecordId& id, std::size_t count_max = 1'000)
    {
        return must(wait(store_.timeline(id, count_max)));
    }

private:
    Store& store_;
};

}  // namespace umavez::test
