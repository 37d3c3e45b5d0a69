// The engine's and the database's numbers, made anew at every scrape from their snapshots.

#include "telemetry/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <limits>
#include <map>
#include <utility>

namespace umavez {
namespace {

using Labels = std::map<std::string, std::string>;

class FamilyList {
public:
    void begin(prometheus::MetricType type, std::string name, std::string help)
    {
        prometheus::MetricFamily family;
        family.type = type;
        family.name = std::move(name);
        family.help = std::move(help);
        families_.push_back(std::move(family));
    }
    void counter(std::string name, std::string help)
    {
        begin(prometheus::MetricType::Counter, std::move(name), std::move(help));
    }
    void gauge(std::string name, std::string help)
    {
        begin(prometheus::MetricType::Gauge, std::move(name), std::move(help));
    }

    void add(double value, const Labels& labels = {})
    {
        prometheus::ClientMetric metric;
        for (const auto& [name, text] : labels) metric.label.push_back({name, text});
        metric.counter.value = value;
        metric.gauge.value = value;
        families_.back().metric.push_back(std::move(metric));
    }
    void add(std::uint64_t value, const Labels& labels = {})
    {
        add(static_cast<double>(value), labels);
    }

    void histogram(std::string name, std::string help)
    {
        begin(prometheus::MetricType::Histogram, std::move(name), std::move(help));
    }
    // `counts[i]` of up to 2^i.
    void add(const BatchSizes& counts, std::uint64_t sum)
    {
        prometheus::ClientMetric metric;
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            seen += counts[i];
            metric.histogram.bucket.push_back({seen, static_cast<double>(std::uint64_t{1} << i)});
        }
        metric.histogram.bucket.push_back({seen, std::numeric_limits<double>::infinity()});
        metric.histogram.sample_count = seen;
        metric.histogram.sample_sum = static_cast<double>(sum);
        families_.back().metric.push_back(std::move(metric));
    }

    std::string text() const { return prometheus::TextSerializer{}.Serialize(families_); }

private:
    std::vector<prometheus::MetricFamily> families_;
};

using Counter = std::uint64_t OperationStats::*;

constexpr std::array<std::pair<const char*, Counter>, 9> decisions{{
    {"executed", &OperationStats::executed},
    {"replayed", &OperationStats::replayed},
    {"in_progress", &OperationStats::in_progress},
    {"mismatch", &OperationStats::mismatch},
    {"mismatch_ignored", &OperationStats::mismatch_ignored},
    {"in_doubt", &OperationStats::in_doubt},
    {"unavailable", &OperationStats::unavailable},
    {"unkeyed", &OperationStats::unkeyed},
    {"unprotected", &OperationStats::unprotected},
}};

struct NamedCounter {
    const char* name;
    const char* help;
    Counter counter;
};

constexpr std::array<NamedCounter, 7> counters{{
    {"umavez_claims_total", "Keys that were claimed", &OperationStats::claims},
    {"umavez_takeovers_total", "Claims of abandoned work", &OperationStats::takeovers},
    {"umavez_reconciled_total", "Unknown outcomes that were found out", &OperationStats::reconciled
    },
    {"umavez_released_total", "Keys that were set free for a new claim", &OperationStats::released},
    {"umavez_fenced_total", "Writes of late owners that were refused", &OperationStats::fenced},
    {"umavez_leases_lost_total", "Leases that ended under their owner", &OperationStats::leases_lost
    },
    {"umavez_leases_dropped_total",
     "Leases given up without a word",
     &OperationStats::leases_dropped},
}};

Labels labels_of(const OperationStats& stats)
{
    return {{"operation", stats.operation}, {"guarantee", std::string{to_text(stats.guarantee)}}};
}

// Of all requests with a key, the share that somebody had sent before.
double duplication_of(const OperationStats& stats)
{
    const std::uint64_t again = stats.replayed + stats.in_progress + stats.mismatch +
                                stats.mismatch_ignored + stats.in_doubt;
    const std::uint64_t all = again + stats.executed;
    return all == 0 ? 0.0 : static_cast<double>(again) / static_cast<double>(all);
}

void add_operations(FamilyList& list, const std::vector<OperationStats>& operations)
{
    list.counter(
        "umavez_decisions_total", "Answers of the engine by operation, decision and guarantee"
    );
    for (const OperationStats& stats : operations) {
        for (const auto& [name, counter] : decisions) {
            Labels labels = labels_of(stats);
            labels.emplace("decision", name);
            list.add(stats.*counter, labels);
        }
    }
    for (const NamedCounter& named : counters) {
        list.counter(named.name, named.help);
        for (const OperationStats& stats : operations)
            list.add(stats.*named.counter, labels_of(stats));
    }
    list.gauge("umavez_duplication_ratio", "Share of keyed requests that were duplicates");
    for (const OperationStats& stats : operations)
        list.add(duplication_of(stats), labels_of(stats));
}

void add_records(FamilyList& list, const std::vector<RecordsByStatus>& records)
{
    const auto label = [](const RecordsByStatus& by) {
        return Labels{{"status", std::string{to_text(by.status)}}};
    };
    list.gauge("umavez_records", "Records in the store by status");
    for (const RecordsByStatus& by : records) list.add(by.records, label(by));
    list.gauge(
        "umavez_oldest_record_seconds", "Time since the oldest record of a status last changed"
    );
    for (const RecordsByStatus& by : records) {
        if (!by.oldest) continue;
        list.add(std::chrono::duration<double>(*by.oldest).count(), label(by));
    }
    list.gauge(
        "umavez_overdue_seconds",
        "Time since the oldest lease (processing) or retention (succeeded, failed) ended; 0: "
        "nothing is late"
    );
    for (const RecordsByStatus& by : records) {
        if (by.status == Status::in_doubt) continue;
        list.add(std::chrono::duration<double>(by.overdue).count(), label(by));
    }
}

void add_database(FamilyList& list, const EngineSnapshot& snapshot)
{
    list.gauge("umavez_store_up", "1 while the store can be reached");
    list.add(snapshot.reachable ? 1.0 : 0.0);
    list.counter("umavez_lane_batches_total", "Batches the lane committed");
    list.add(snapshot.lane.batches);
    list.counter("umavez_lane_members_total", "Members of those batches");
    list.add(snapshot.lane.members);
    list.histogram("umavez_batch_size", "Members that the lane committed together");
    list.add(snapshot.lane.batch_sizes, snapshot.lane.members);
    list.counter("umavez_lane_retried_alone_total", "Members run again after their batch was lost");
    list.add(snapshot.lane.retried_alone);
    list.counter(
        "umavez_lane_batches_rerun_total",
        "Batches that had to undo a member, and were run again with savepoints"
    );
    list.add(snapshot.lane.batches_rerun);
    list.counter(
        "umavez_audit_notes_dropped_total",
        "Audit entries of replays and refusals that found no room or no store"
    );
    list.add(snapshot.audit_notes_dropped);
    list.gauge("umavez_lane_queue_length", "Members that wait for the lane");
    list.add(snapshot.lane.queue_length);
}

void add_waiting(
    FamilyList& list,
    std::string name,
    std::string help,
    const std::vector<EngineSnapshot::Waiting>& waiting
)
{
    if (waiting.empty()) return;
    list.gauge(std::move(name), std::move(help));
    for (const auto& [state, count] : waiting) {
        list.add(static_cast<double>(count), {{"state", state}});
    }
}

void add_mailings(FamilyList& list, const EngineSnapshot& snapshot)
{
    list.gauge("umavez_broker_up", "1 while the broker takes messages, or none is configured");
    list.add(snapshot.is_broker_up ? 1.0 : 0.0);
    if (!snapshot.mailings) return;
    const EngineSnapshot::Mailings& mailings = *snapshot.mailings;
    list.gauge("umavez_mailings", "Mailings by status");
    for (const auto& [status, count] : mailings.by_status) {
        list.add(static_cast<double>(count), {{"status", status}});
    }
    list.gauge("umavez_mailing_recipients", "Recipients of all mailings by what became of them");
    for (const auto& [status, count] : mailings.recipients) {
        list.add(static_cast<double>(count), {{"status", status}});
    }
    list.gauge("umavez_mailing_uncertain", "Recipients that may have been sent to when nobody knew");
    list.add(static_cast<double>(mailings.uncertain));
    list.gauge("umavez_mailings_troubled", "Mailings that are not over and tell why they do not go on");
    list.add(static_cast<double>(mailings.troubled));
    list.gauge(
        "umavez_mailing_silence_seconds",
        "Since the last sign of life of the most silent mailing that a worker should be at"
    );
    list.add(mailings.silence_seconds);
    list.gauge("umavez_messages", "Messages of the outbox that did not come to an end, by queue and state");
    for (const auto& [queue, state, count] : mailings.messages) {
        list.add(static_cast<double>(count), {{"queue", queue}, {"state", state}});
    }
}

void add_fiscal(FamilyList& list, const EngineSnapshot& snapshot)
{
    if (!snapshot.fiscal) return;
    const EngineSnapshot::Fiscal& fiscal = *snapshot.fiscal;
    list.gauge("umavez_fiscal_documents", "Fiscal documents by estado");
    for (const auto& [estado, count] : fiscal.by_estado) {
        list.add(static_cast<double>(count), {{"estado", estado}});
    }
    list.gauge(
        "umavez_fiscal_oldest_in_doubt_seconds",
        "Since the last call for the oldest document of which nobody knows what became"
    );
    list.add(fiscal.oldest_in_doubt_seconds);
    list.gauge("umavez_fiscal_alerts", "Fiscal documents that a person has to look at");
    list.add(static_cast<double>(fiscal.alerts));
    list.gauge(
        "umavez_fiscal_overdue_numbers",
        "Numbers that were never used and whose deadline to be voided is over"
    );
    list.add(static_cast<double>(fiscal.overdue_numbers));
    list.gauge(
        "umavez_fiscal_guard_blocked",
        "Issuers for whom an authority is left alone because it was asked too often"
    );
    for (const auto& [authority, environment, issuers] : fiscal.blocked) {
        list.add(
            static_cast<double>(issuers), {{"authority", authority}, {"environment", environment}}
        );
    }
}

}  // namespace

std::string to_prometheus_text(const EngineSnapshot& snapshot)
{
    FamilyList list;
    add_waiting(
        list,
        "umavez_webhook_events",
        "Accepted events that did not come to an end, by state",
        snapshot.events
    );
    add_waiting(
        list,
        "umavez_deliveries",
        "Events of ours that did not reach a destination, by state",
        snapshot.deliveries
    );
    add_mailings(list, snapshot);
    add_fiscal(list, snapshot);
    add_operations(list, snapshot.operations);
    add_records(list, snapshot.records);
    add_database(list, snapshot);
    return list.text();
}

}  // namespace umavez
