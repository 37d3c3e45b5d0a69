#include "app/mailing_numbers.hpp"

#include "modules/mailing/status.hpp"

#include <algorithm>

namespace umavez {
namespace {

using Numbers = EngineSnapshot::Mailings;

std::int64_t integer_or_zero(const Row& row, std::size_t column)
{
    return row.is_null(column) ? 0 : row.integer(column);
}

// Of every status, also those that no mailing has: an alert finds its metric.
void begin(Numbers& numbers)
{
    for (std::string& status : mailing::status_words()) {
        numbers.by_status.push_back({std::move(status), 0});
    }
    for (const char* const status : {"sent", "failed", "unknown", "open"}) {
        numbers.recipients.push_back({status, 0});
    }
    for (const char* const queue : {"mailing", "events"}) {
        for (const char* const state : {"pending", "dead"})
            numbers.messages.push_back({queue, state, 0});
    }
}

Result<void> add_statuses(Transaction& transaction, Numbers& numbers)
{
    const auto rows = transaction.query(
        "SELECT status, count(*), CAST(sum(sent) AS bigint), CAST(sum(failed) AS bigint), "
        "CAST(sum(unknown) AS bigint), CAST(sum(entries - sent - failed - unknown) AS bigint), "
        "count(error), min(CASE WHEN status IN ('PENDING', 'QUEUED', 'INGESTING', 'PROCESSING') "
        "THEN CASE WHEN last_attempt > updated_at THEN last_attempt ELSE updated_at END END) "
        "FROM mailings WHERE status IN "
        "('DRAFT', 'PENDING', 'QUEUED', 'INGESTING', 'PROCESSING', 'PAUSED') GROUP BY status "
        // Each half has a partial index with these very words (schema.cpp).
        "UNION ALL SELECT status, count(*), CAST(sum(sent) AS bigint), "
        "CAST(sum(failed) AS bigint), CAST(sum(unknown) AS bigint), "
        "CAST(sum(entries - sent - failed - unknown) AS bigint), 0, NULL "
        "FROM mailings WHERE status IN ('COMPLETED', 'FAILED', 'CANCELLED') GROUP BY status"
    );
    if (!rows) return std::unexpected(rows.error());
    constexpr std::size_t first_sum = 2;
    constexpr std::size_t troubled = 6;
    constexpr std::size_t silent_since = 7;
    for (const Row& row : *rows) {
        for (auto& [status, count] : numbers.by_status) {
            if (status == row.text(0)) count = row.integer(1);
        }
        for (std::size_t i = 0; i < numbers.recipients.size(); ++i) {
            numbers.recipients[i].count += integer_or_zero(row, first_sum + i);
        }
        numbers.troubled += row.integer(troubled);
        if (row.is_null(silent_since)) continue;
        const Duration silence = transaction.now() - from_micros(row.integer(silent_since));
        numbers.silence_seconds =
            std::max(numbers.silence_seconds, std::chrono::duration<double>(silence).count());
    }
    return {};
}

Result<void> add_uncertain(Transaction& transaction, Numbers& numbers)
{
    const auto rows =
        transaction.query("SELECT count(*) FROM mailing_entries WHERE uncertain_at IS NOT NULL");
    if (!rows) return std::unexpected(rows.error());
    numbers.uncertain = rows->front().integer(0);
    return {};
}

Result<void> add_messages(Transaction& transaction, Numbers& numbers)
{
    const auto rows = transaction.query(
        "SELECT queue, state, count(*) FROM umavez_messages WHERE state IN ('pending', 'dead') "
        "GROUP BY queue, state"
    );
    if (!rows) return std::unexpected(rows.error());
    for (const Row& row : *rows) {
        const auto found = std::ranges::find_if(numbers.messages, [&](const auto& known) {
            return known.queue == row.text(0) && known.state == row.text(1);
        });
        if (found != numbers.messages.end()) found->count = row.integer(2);
    }
    return {};
}

}  // namespace

Result<EngineSnapshot::Mailings> count_mailings(Transaction& transaction)
{
    Numbers numbers;
    begin(numbers);
    for (const auto add : {add_statuses, add_uncertain, add_messages}) {
        if (auto added = add(transaction, numbers); !added) return std::unexpected(added.error());
    }
    return numbers;
}

}  // namespace umavez
