#include "work/work_table.hpp"

#include "engine/finish_all.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::work {
namespace {

// The records of runs belong to the workers, not to a tenant: an inbox is worked on before its tenant is
// known.
constexpr std::string_view worker_tenant = "_umavez";

struct EndStatement {
    std::string sql;
    Values values;
};

// The ends as rows of a WITH, which both databases can update from.
EndStatement to_statement(
    const WorkTable& table, const std::vector<EndedRun>& runs, Instant instant
)
{
    std::vector<std::string_view> also;
    for (const EndedRun& run : runs) {
        for (const auto& [column, value] : run.ended.also) {
            if (std::ranges::find(also, column) == also.end()) also.push_back(column);
        }
    }
    const std::int64_t now = to_micros(instant);
    EndStatement statement{.values = {now}};
    std::string rows;
    const auto add = [&](Value value, std::string_view type) {
        statement.values.push_back(std::move(value));
        rows += fmt::format(
            "{}CAST(${} AS {})", rows.back() == '(' ? "" : ", ", statement.values.size(), type
        );
    };
    for (const EndedRun& run : runs) {
        const Ended& ended = run.ended;
        rows += rows.empty() ? "(" : ", (";
        add(run.item.id, "BIGINT");
        add(run.item.run, "BIGINT");
        add(std::string{ended.state}, "TEXT");
        add(std::int64_t{ended.is_failure ? 1 : 0}, "BIGINT");
        add(now + ended.retry_in.count(), "BIGINT");
        add(ended.why ? Value{*ended.why} : Value{}, "TEXT");
        for (const std::string_view column : also) {
            const auto own =
                std::ranges::find(ended.also, column, [](const auto& pair) { return pair.first; });
            add(own == ended.also.end() ? Value{} : Value{own->second}, "TEXT");
        }
        rows += ")";
    }
    std::string columns;
    std::string changes;
    for (const std::string_view column : also) {
        columns += fmt::format(", {}", column);
        changes += fmt::format(", {0} = coalesce(ended.{0}, {1}.{0})", column, table.name);
    }
    statement.sql = fmt::format(
        "WITH ended (id, run, state, failures, due_at, why{0}) AS (VALUES {1}) UPDATE {2} SET "
        "state = ended.state, run = {2}.run + 1, takes = 0, attempts = attempts + ended.failures, "
        "due_at = ended.due_at, last_error = ended.why, changed_at = $1{3} FROM ended "
        "WHERE {2}.id = ended.id AND {2}.run = ended.run",
        columns,
        rows,
        table.name,
        changes
    );
    return statement;
}

}  // namespace

RecordId record_id_of(const WorkTable& table, const Item& item)
{
    return {
        *TenantId::parse(worker_tenant),
        *Operation::parse(table.operation),
        *Key::parse(fmt::format("{}.{}", item.id, item.run)),
    };
}

Result<std::vector<Taken>> take_due(
    Transaction& transaction, const WorkTable& table, Duration hidden, std::size_t limit
)
{
    const bool is_shared = transaction.dialect() == Dialect::postgres;
    const auto rows = transaction.query(
        fmt::format(
            "UPDATE {0} SET due_at = $1, takes = takes + 1 WHERE id IN (SELECT item.id FROM {0} AS "
            "item "
            "WHERE item.state = 'pending' AND item.due_at <= $2{1}{2} ORDER BY item.due_at, "
            "item.id "
            "LIMIT $3{3}) RETURNING id, run, takes",
            table.name,
            table.ready.empty() ? "" : " AND ",
            table.ready,
            is_shared ? " FOR UPDATE OF item SKIP LOCKED" : ""
        ),
        {to_micros(transaction.now() + hidden),
         to_micros(transaction.now()),
         static_cast<std::int64_t>(limit)}
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<Taken> taken;
    taken.reserve(rows->size());
    for (const Row& row : *rows)
        taken.push_back({{row.integer(0), row.integer(1)}, row.integer(2)});
    return taken;
}

Result<void> put_back(
    Transaction& transaction, const WorkTable& table, const std::vector<Item>& items
)
{
    for (const Item& item : items) {
        const auto changed = transaction.execute(
            fmt::format(
                "UPDATE {} SET due_at = $3, takes = takes - 1 WHERE id = $1 AND run = $2 AND "
                "state = 'pending' AND takes > 0",
                table.name
            ),
            {item.id, item.run, to_micros(transaction.now())}
        );
        if (!changed) return std::unexpected(changed.error());
    }
    return {};
}

Result<void> end_run(
    Transaction& transaction,
    const WorkTable& table,
    const Item& item,
    Lease& lease,
    const Ended& ended
)
{
    return end_runs(transaction, table, {{item, &lease, ended}});
}

Result<void> end_runs(
    Transaction& transaction, const WorkTable& table, const std::vector<EndedRun>& runs
)
{
    if (runs.empty()) return {};
    const EndStatement statement = to_statement(table, runs, transaction.now());
    const auto changed = transaction.execute(statement.sql, statement.values);
    if (!changed) return std::unexpected(changed.error());
    if (*changed != static_cast<std::int64_t>(runs.size())) {
        return transaction.spoil(
            {Errc::lease_lost, "the run was ended by somebody else", std::source_location::current()
            }
        );
    }
    std::vector<LeaseFinish> finishes;
    finishes.reserve(runs.size());
    for (const EndedRun& run : runs) {
        finishes.push_back(
            {run.lease, Response{.status = 200, .body = std::string{run.ended.state}}}
        );
    }
    return finish_all(transaction, std::move(finishes));
}

Result<bool> mark_ended(
    Transaction& transaction, const WorkTable& table, const Item& item, const Ended& ended
)
{
    const auto changed = transaction.execute(
        fmt::format(
            "UPDATE {} SET state = $3, run = run + 1, takes = 0, attempts = attempts + $4, "
            "last_error = $5, changed_at = $6 WHERE id = $1 AND run = $2 AND state = 'pending'",
            table.name
        ),
        {item.id,
         item.run,
         std::string{ended.state},
         std::int64_t{ended.is_failure ? 1 : 0},
         ended.why ? Value{*ended.why} : Value{},
         to_micros(transaction.now())}
    );
    if (!changed) return std::unexpected(changed.error());
    return *changed == 1;
}

Ended after_failure(const RetryRule& rule, std::int64_t attempts, std::string why, double random)
{
    const auto failures = static_cast<std::uint32_t>(attempts) + 1;
    const bool is_last = failures >= rule.attempts_max;
    return {
        .state = is_last ? "dead" : "pending",
        .why = std::move(why),
        .is_failure = true,
        .retry_in = is_last ? Duration{0} : retry_delay(rule, failures, random),
    };
}

Result<bool> drive_again(Transaction& transaction, const WorkTable& table, std::int64_t id)
{
    const std::int64_t now = to_micros(transaction.now());
    const auto driven = transaction.execute(
        fmt::format(
            "UPDATE {} SET run = run + CASE state WHEN 'pending' THEN 0 ELSE 1 END, state = "
            "'pending', "
            "attempts = 0, due_at = $2, changed_at = $2 WHERE id = $1",
            table.name
        ),
        {id, now}
    );
    if (!driven) return std::unexpected(driven.error());
    return *driven == 1;
}

Result<std::vector<StateCount>> count_states(
    Transaction& transaction, const WorkTable& table, std::span<const std::string_view> states
)
{
    std::vector<StateCount> counts;
    for (const std::string_view state : states) {
        const auto rows = transaction.query(
            fmt::format("SELECT count(*) FROM {} WHERE state = '{}'", table.name, state)
        );
        if (!rows) return std::unexpected(rows.error());
        counts.push_back({std::string{state}, rows->front().integer(0)});
    }
    return counts;
}

}  // namespace umavez::work
