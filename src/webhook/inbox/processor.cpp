#include "webhook/inbox/processor.hpp"

#include "base/fault_point.hpp"
#include "base/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace umavez::webhook {
namespace {

using work::Ended;
using work::Item;

double random_share()
{
    constexpr std::uint64_t parts = 1'000'000;
    return static_cast<double>(uniform(system_random(), parts)) / static_cast<double>(parts);
}

// What a run knows besides the database.
struct Run {
    const ProcessorNeeds& needs;
    Lease& lease;
    const Item& item;
    std::optional<std::string> fetched;  // what a provider answered
    std::optional<InboxRow>
        to_fetch;  // set by the first transaction: come again with what it asks for
    ProcessedEvent processed = {};  // what is told when it is committed
};

std::optional<std::string> unless_empty(const std::string& text)
{
    return text.empty() ? std::nullopt : std::optional{text};
}

struct ToEnded {
    const InboxRow& row;
    const work::RetryRule& retries;

    Ended operator()(const Applied&) const { return {.state = "done"}; }
    Ended operator()(const Ignored& it) const
    {
        return {.state = "ignored", .why = unless_empty(it.why)};
    }
    Ended operator()(const Stale& it) const { return {.state = "stale", .why = it.why}; }
    Ended operator()(const Refused& it) const
    {
        return {.state = "dead", .why = it.why, .is_failure = true};
    }
    Ended operator()(const Failed& it) const
    {
        return work::after_failure(retries, row.attempts, it.why, random_share());
    }
};

Ended ended_as(const Handled& handled, const InboxRow& row, const work::RetryRule& retries)
{
    return std::visit(ToEnded{row, retries}, handled);
}

void note_event(Run& run, const InboxRow& row)
{
    run.processed = {row.id, row.provider, row.event_id, row.type, {}, {}};
}

Ended note_end(Run& run, Ended ended, const std::string& tenant_id)
{
    if (!tenant_id.empty()) ended.also.emplace_back("tenant_id", tenant_id);
    run.processed.state = ended.state;
    run.processed.why = ended.why.value_or("");
    return ended;
}

Result<Ended> handle(
    Transaction& transaction,
    Run& run,
    const EventHandler& handler,
    const InboxEvent& event,
    const std::string& tenant
)
{
    auto tenant_id = TenantId::parse(tenant);
    if (!tenant_id) return std::unexpected(tenant_id.error());
    const ReceivedEvent received{
        .tenant_id = *std::move(tenant_id),
        .provider = event.row.provider,
        .event_id = event.row.event_id,
        .type = event.row.type,
        .content = run.fetched ? std::string_view{*run.fetched} : event.body,
    };
    const auto handled = handler(transaction, received);
    if (!handled) return std::unexpected(handled.error());
    return note_end(run, ended_as(*handled, event.row, run.needs.retries), tenant);
}

// How the run ends. Nullopt: to_fetch is set.
Result<std::optional<Ended>> process(Transaction& transaction, Run& run, const InboxEvent& event)
{
    note_event(run, event.row);
    // An account that moved to another tenant takes no event along that was resolved before.
    const auto& tenant = event.row.tenant_id ? event.row.tenant_id : event.tenant_now;
    const auto known = run.needs.providers->find(event.row.provider);
    const bool is_known =
        known != run.needs.providers->end() && known->second.scheme == event.row.scheme;
    if (!is_known) {
        // A worker with another configuration must not lose what a server accepted.
        const Failed unknown{fmt::format(
            "this worker has no [[webhook.provider]] {} with the scheme {}",
            event.row.provider,
            event.row.scheme
        )};
        return note_end(run, ended_as(unknown, event.row, run.needs.retries), "");
    }
    if (!tenant) {
        return note_end(run, {.state = "waiting", .why = "its account has no tenant"}, "");
    }
    const EventHandler* const handler =
        run.needs.handlers->find(known->second.scheme, event.row.type);
    if (handler == nullptr) {
        return note_end(run, {.state = "ignored", .why = "nobody handles this type"}, *tenant);
    }
    if (known->second.fetch && !run.fetched) {
        run.to_fetch = event.row;
        return std::nullopt;
    }
    return handle(transaction, run, *handler, event, *tenant);
}

Result<void> process_alone(Transaction& transaction, Run& run)
{
    const auto event = find_event(transaction, run.item.id);
    if (!event) return std::unexpected(event.error());
    if (!*event || (*event)->row.run != run.item.run) {
        // Swept, or ended by whoever took over: the record of this run says no more than that.
        return run.lease.finish(transaction, Response{.status = 200, .body = "gone"});
    }
    const auto ended = process(transaction, run, **event);
    if (!ended) return std::unexpected(ended.error());
    if (!*ended) return {};
    return work::end_run(transaction, inbox_work, run.item, run.lease, **ended);
}

// What became of it, to the story of its run too where the record alone would say that all went well.
void tell(const Run& run)
{
    const ProcessedEvent& event = run.processed;
    if (event.state.empty()) return;
    if (event.state == "stale" || event.state == "dead") {
        run.needs.engine.remark(run.lease.id(), event.state + ": " + event.why);
    }
    if (run.needs.on_processed) run.needs.on_processed(event);
}

Result<void> transact(Run& run, const Closure& closure)
{
    auto done = run.needs.database.transact([&](Transaction& transaction) {
        run.processed = {};
        run.to_fetch.reset();
        return closure(transaction);
    });
    if (done) tell(run);
    return done;
}

// Ends a run whose own transaction did not: an error that comes again with every attempt must not keep a
// worker busy for ever.
Result<void> give_up(Run& run, const std::string& why)
{
    return transact(run, [&](Transaction& transaction) -> Result<void> {
        const auto event = find_event(transaction, run.item.id);
        if (!event) return std::unexpected(event.error());
        if (!*event) return {};
        note_event(run, (*event)->row);
        const Ended ended =
            note_end(run, ended_as(Failed{why}, (*event)->row, run.needs.retries), "");
        return work::end_run(transaction, inbox_work, run.item, run.lease, ended);
    });
}

Result<void> run_event(const ProcessorNeeds& needs, Lease& lease, const Item& item)
{
    Run run{.needs = needs, .lease = lease, .item = item};
    strike(FaultPoint::handler_before_effect);
    const Closure run_handler = [&run](Transaction& transaction) {
        return process_alone(transaction, run);
    };
    auto done = transact(run, run_handler);
    if (done && run.to_fetch) {
        const Fetch& fetch = needs.providers->find(run.to_fetch->provider)->second.fetch;
        auto fetched = fetch(*run.to_fetch);
        if (!fetched) return give_up(run, fetched.error());
        run.fetched = *std::move(fetched);
        done = transact(run, run_handler);
    }
    strike(FaultPoint::handler_after_effect);
    if (done || is_retryable(done.error().code) || done.error().code == Errc::lease_lost)
        return done;
    return give_up(run, done.error().detail);
}

// Those that are not as they were taken, or need something fetched, are left to run alone.
Result<std::vector<work::EndedRun>> process_all(Transaction& transaction, std::span<Run> runs)
{
    std::vector<std::int64_t> ids;
    for (const Run& run : runs) ids.push_back(run.item.id);
    auto events = find_events(transaction, ids);
    if (!events) return std::unexpected(events.error());
    std::vector<work::EndedRun> all;
    for (Run& run : runs) {
        run.processed = {};
        run.to_fetch.reset();
        const auto event = std::ranges::find(*events, run.item.id, [](const InboxEvent& one) {
            return one.row.id;
        });
        if (event == events->end() || event->row.run != run.item.run) continue;
        strike(FaultPoint::handler_before_effect);
        auto ended = process(transaction, run, *event);
        if (!ended) return std::unexpected(ended.error());
        if (*ended) all.push_back({run.item, &run.lease, **std::move(ended)});
    }
    return all;
}

Result<std::vector<Item>> run_events(const ProcessorNeeds& needs, std::span<work::Claimed> claimed)
{
    std::vector<Run> runs;
    runs.reserve(claimed.size());
    for (work::Claimed& one : claimed) {
        runs.push_back({.needs = needs, .lease = one.lease, .item = one.item});
    }
    const auto done = needs.database.transact([&](Transaction& transaction) -> Result<void> {
        const auto ended = process_all(transaction, runs);
        if (!ended) return std::unexpected(ended.error());
        return work::end_runs(transaction, inbox_work, *ended);
    });
    if (!done) return std::unexpected(done.error());
    std::vector<Item> left;
    for (const Run& run : runs) {
        if (run.processed.state.empty()) {
            left.push_back(run.item);
            continue;
        }
        strike(FaultPoint::handler_after_effect);
        tell(run);
    }
    return left;
}

}  // namespace

Processor make_processor(ProcessorNeeds needs)
{
    return {
        .alone = [needs](Lease& lease, const Item& item) { return run_event(needs, lease, item); },
        .together = [needs](std::span<work::Claimed> claimed
                    ) { return run_events(needs, claimed); },
    };
}

}  // namespace umavez::webhook
