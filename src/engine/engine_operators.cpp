// What operators do: look, release, resolve. Their writes raise the epoch and are audited with a reason.

#include "core/transition.hpp"
#include "engine/engine_impl.hpp"
#include "engine/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez {
namespace {

constexpr std::size_t timeline_entries_max = 1'000;

Result<void> check_reason(const std::string& reason)
{
    if (reason.find_first_not_of(" \t\r\n") != std::string::npos) return {};
    return fail(Errc::invalid_argument, "reason is empty; say why, it is kept in the audit");
}

// Records outlive the program that declared their operation, and somebody must be able to settle them. How
// long such an operation keeps a record is not known here, so it is kept for good: should the operation come
// back, its retries are still answered.
Policy policy_of(const Operations& operations, const Operation& name)
{
    const auto declared = operations.find(name);
    if (declared) return (*declared)->policy;
    return {.retention = std::nullopt};
}

bool is_free(const Record& record) noexcept
{
    return record.status == Status::failed && !record.final;
}

Error refusal(
    const RecordId& id, const Record& record, std::string_view wish, std::string_view when
)
{
    if (is_free(record)) {
        return {
            Errc::invalid_argument,
            fmt::format("key \"{}\" is free already: the next request with it runs", id.key.text()),
            std::source_location::current()
        };
    }
    return {
        Errc::invalid_argument,
        fmt::format(
            "key \"{}\" is {}{}; only {} can be {}",
            id.key.text(),
            to_text(record.status),
            record.status == Status::processing ? " under a live lease" : "",
            when,
            wish
        ),
        std::source_location::current()
    };
}

}  // namespace

Task<Result<RecordsPage>> EngineImpl::async_records(RecordsQuery query)
{
    if (is_in_child()) co_return fail_in_child();
    co_return co_await store_.scan(std::move(query));
}

Task<Result<StoriesPage>> EngineImpl::async_stories(StoriesQuery query)
{
    if (is_in_child()) co_return fail_in_child();
    co_return co_await store_.stories(std::move(query));
}

Task<Result<Story>> EngineImpl::async_explain(RecordId id)
{
    if (is_in_child()) co_return fail_in_child();
    RecordId wanted = id;
    auto sighting = co_await store_.find(std::move(wanted));
    if (!sighting) co_return std::unexpected(sighting.error());
    auto entries = co_await store_.timeline(std::move(id), timeline_entries_max);
    if (!entries) co_return std::unexpected(entries.error());
    Story story{.record = std::move(sighting->record), .now = sighting->now, .timeline = {}};
    for (AuditEntry& entry : *entries) {
        std::optional<std::int64_t> epoch;
        if (entry.token.epoch != 0) epoch = entry.token.epoch;
        story.timeline.push_back(
            {entry.at, std::string{to_text(entry.event)}, epoch, std::move(entry.detail)}
        );
    }
    co_return story;
}

Task<Result<Record>> EngineImpl::async_release(RecordId id, std::string reason)
{
    if (auto checked = check_reason(reason); !checked) co_return std::unexpected(checked.error());
    AuditNote note = make_note(AuditEvent::released, std::move(reason));
    // Named, here and below: what a co_await expression holds, g++ 12 moves by bytes (ARCHITECTURE.md).
    MayOverrule may = [](const Record& record, Instant now) {
        return record.status == Status::in_doubt || record.final || is_lease_over(record, now);
    };
    MakeDraft make = [this](const Record& record, const Policy& policy) {
        return operator_release_draft(record, make_execution(), policy.retention);
    };
    co_return co_await overrule(
        std::move(id),
        std::move(note),
        std::move(may),
        std::move(make),
        "released",
        "an in-doubt, abandoned or failed key"
    );
}

Task<Result<Record>> EngineImpl::async_resolve(
    RecordId id, Resolution as, std::optional<Response> response, std::string reason
)
{
    if (auto checked = check_reason(reason); !checked) co_return std::unexpected(checked.error());
    AuditNote note = make_note(AuditEvent::resolved, std::move(reason));
    MayOverrule may = [](const Record& record, Instant now) {
        return record.status == Status::in_doubt || is_lease_over(record, now);
    };
    MakeDraft make = [this, as, &response](const Record& record, const Policy& policy) {
        std::optional<StoredResponse> stored;
        if (response) stored = to_stored(*response, policy.response_bytes_max);
        const Status status = as == Resolution::succeeded ? Status::succeeded : Status::failed;
        return operator_resolve_draft(
            record, status, std::move(stored), make_execution(), policy.retention
        );
    };
    auto overruled = overrule(
        std::move(id),
        std::move(note),
        std::move(may),
        std::move(make),
        "resolved",
        "an in-doubt or abandoned key"
    );
    co_return co_await std::move(overruled);
}

Task<Result<Record>> EngineImpl::async_reopen(RecordId id, std::string reason)
{
    if (auto checked = check_reason(reason); !checked) co_return std::unexpected(checked.error());
    AuditNote note = make_note(AuditEvent::released, std::move(reason));
    MayOverrule may = [](const Record& record, Instant) {
        return is_completed(record) && !is_free(record);
    };
    MakeDraft make = [this](const Record& record, const Policy& policy) {
        return operator_release_draft(record, make_execution(), policy.retention);
    };
    co_return co_await overrule(
        std::move(id), std::move(note), std::move(may), std::move(make), "reopened", "a closed key"
    );
}

Task<Result<Record>> EngineImpl::overrule(
    RecordId id,
    AuditNote note,
    MayOverrule may,
    MakeDraft make,
    std::string_view wish,
    std::string_view when
)
{
    if (is_in_child()) co_return fail_in_child();
    const Policy policy = policy_of(operations_, id.operation);
    RecordId wanted = id;
    const auto sighting = co_await store_.find(std::move(wanted));
    if (!sighting) co_return std::unexpected(sighting.error());
    if (!sighting->record) {
        co_return fail(
            Errc::not_found, fmt::format("there is no record of the key \"{}\"", id.key.text())
        );
    }
    const Record& record = *sighting->record;
    if (!may(record, sighting->now)) co_return std::unexpected(refusal(id, record, wish, when));

    Expected expected = bystander_expects(record);
    if (record.status == Status::processing) expected.lease_over_for = Duration{0};
    std::vector<Replacement> batch;
    batch.push_back({id, expected, make(record, policy), std::move(note)});
    auto replaced = co_await store_.replace(std::move(batch));
    if (!replaced) co_return std::unexpected(replaced.error());
    Replaced& answer = replaced->front();
    if (!answer.done) {
        co_return fail(
            Errc::invalid_argument,
            fmt::format("key \"{}\" changed meanwhile; look at it again", id.key.text())
        );
    }
    flights_.notify(id);
    co_return *std::move(answer.record);
}

void EngineImpl::remark(const RecordId& id, std::string text)
{
    if (!is_in_child()) note(id, AuditEvent::remarked, 0, std::move(text));
}

StoreStats EngineImpl::store_stats() const
{
    const StoreLosses losses = store_.losses();
    return {.notes_dropped = losses.notes, .emptied = losses.emptied};
}

std::vector<OperationStats> EngineImpl::stats() const
{
    std::vector<OperationStats> all;
    for (const Declared* operation : operations_.all()) {
        OperationStats stats = operation->tally.to_stats();
        stats.operation = operation->name.text();
        stats.guarantee = operation->policy.guarantee;
        all.push_back(std::move(stats));
    }
    return all;
}

Task<Result<std::vector<RecordsByStatus>>> EngineImpl::async_count()
{
    if (is_in_child()) co_return fail_in_child();
    auto counts = co_await store_.count();
    if (!counts) co_return std::unexpected(counts.error());
    std::vector<RecordsByStatus> all;
    for (const StoreCount& count : counts->by_status) {
        std::optional<Duration> oldest;
        if (count.oldest) oldest = counts->now - *count.oldest;
        Duration overdue{0};
        if (count.first_end) overdue = std::max(overdue, counts->now - *count.first_end);
        all.push_back({count.status, count.records, oldest, overdue});
    }
    co_return all;
}

}  // namespace umavez
