#include "modules/mailing/marks.hpp"

#include "modules/parts/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace umavez::mailing {
namespace {

// In one statement: SQLite takes fewer than 500 rows of values with parameters.
constexpr std::size_t results_max = 100;

Result<std::vector<MarkedEntry>> to_marked(const Result<Rows>& rows)
{
    if (!rows) return std::unexpected(rows.error());
    std::vector<MarkedEntry> entries;
    entries.reserve(rows->size());
    for (const Row& row : *rows) {
        entries.push_back(
            {.id = row.integer(0),
             .email = row.text(1),
             .token = row.text(2),
             .fields = modules::text_at(row, 3),
             .attempts = row.integer(4),
             .was_uncertain = !row.is_null(5),
             .due_at = row.integer(6)}
        );
    }
    // As they were chosen, which RETURNING does not promise: whoever the server hung up on comes last.
    std::ranges::sort(entries, {}, [](const MarkedEntry& entry) {
        return std::pair{entry.due_at, entry.id};
    });
    return entries;
}

Result<void> drop(
    Transaction& transaction, std::int64_t entry_id, EntryStatus status, std::string why
)
{
    const auto dropped = transaction.execute(
        "UPDATE mailing_entries SET status = $2, error = $3, updated_at = $4 WHERE id = $1",
        {entry_id, std::string{to_text(status)}, std::move(why), to_micros(transaction.now())}
    );
    if (!dropped) return std::unexpected(dropped.error());
    return {};
}

Result<void> write_some(
    Transaction& transaction,
    std::int64_t mailing_id,
    std::span<const EntryResult> results,
    Changes& changes
)
{
    const std::int64_t now = to_micros(transaction.now());
    Values values{mailing_id, now};
    std::string rows;
    for (const EntryResult& result : results) {
        const std::size_t at = values.size();
        rows += fmt::format(
            "{}(CAST(${} AS bigint), CAST(${} AS text), CAST(${} AS bigint), CAST(${} AS bigint), "
            "CAST(${} AS bigint), CAST(${} AS text), CAST(${} AS text))",
            rows.empty() ? "" : ", ",
            at + 1,
            at + 2,
            at + 3,
            at + 4,
            at + 5,
            at + 6,
            at + 7
        );
        values.emplace_back(result.entry_id);
        values.emplace_back(std::string{to_text(result.status)});
        values.emplace_back(std::int64_t{result.counts ? 1 : 0});
        values.emplace_back(now + result.due_in.count());
        values.push_back(result.is_uncertain ? Value{now} : Value{});
        values.push_back(modules::to_value(result.external_id));
        values.push_back(modules::to_value(result.error));
    }
    const auto written = transaction.query(
        fmt::format(
            "WITH results (entry_id, became, counts, due, doubted, named, why) AS (VALUES {}) "
            "UPDATE mailing_entries SET status = results.became, "
            "attempts = attempts + results.counts, due_at = results.due, "
            "uncertain_at = COALESCE(uncertain_at, results.doubted), "
            "external_id = COALESCE(results.named, external_id), error = results.why, "
            "updated_at = $2 FROM results WHERE mailing_entries.id = results.entry_id "
            "AND mailing_id = $1 AND status = 'SENDING' RETURNING status",
            rows
        ),
        values
    );
    if (!written) return std::unexpected(written.error());
    for (const Row& row : *written) {
        if (const auto status = parse_entry_status(row.text(0))) changes.add(*status);
    }
    return {};
}

}  // namespace

void Changes::add(EntryStatus status) noexcept
{
    if (status == EntryStatus::sent) ++sent;
    if (status == EntryStatus::failed) ++failed;
    if (status == EntryStatus::unknown) ++unknown;
}

Result<void> write_results(
    Transaction& transaction,
    std::int64_t mailing_id,
    const std::vector<EntryResult>& results,
    Changes& changes
)
{
    for (std::span<const EntryResult> left{results}; !left.empty();) {
        const std::size_t size = std::min(left.size(), results_max);
        if (auto written = write_some(transaction, mailing_id, left.first(size), changes);
            !written) {
            return written;
        }
        left = left.subspan(size);
    }
    return {};
}

Result<void> take_back_marks(Transaction& transaction, std::int64_t mailing_id)
{
    const auto taken = transaction.execute(
        "UPDATE mailing_entries SET status = 'PENDING', updated_at = $2 "
        "WHERE mailing_id = $1 AND status = 'SENDING'",
        {mailing_id, to_micros(transaction.now())}
    );
    if (!taken) return std::unexpected(taken.error());
    return {};
}

Result<std::vector<MarkedEntry>> mark_due(
    Transaction& transaction, std::int64_t mailing_id, std::size_t batch
)
{
    return to_marked(transaction.query(
        "UPDATE mailing_entries SET status = 'SENDING', last_attempt = $2, updated_at = $2 "
        "WHERE id IN (SELECT id FROM mailing_entries WHERE mailing_id = $1 AND status = 'PENDING' "
        "AND due_at <= $2 ORDER BY due_at, id LIMIT $3) "
        "RETURNING id, email, token, fields, attempts, uncertain_at, due_at",
        {mailing_id, to_micros(transaction.now()), static_cast<std::int64_t>(batch)}
    ));
}

Result<std::vector<MarkedEntry>> find_marked(Transaction& transaction, std::int64_t mailing_id)
{
    return to_marked(transaction.query(
        "SELECT id, email, token, fields, attempts, uncertain_at, due_at FROM mailing_entries "
        "WHERE mailing_id = $1 AND status = 'SENDING'",
        {mailing_id}
    ));
}

Result<void> drop_unwanted(
    Transaction& transaction,
    std::int64_t mailing_id,
    std::int64_t attempts_max,
    Marked& marked,
    Changes& changes
)
{
    if (marked.entries.empty()) return {};
    const auto suppressed = transaction.query(
        "SELECT entry.id FROM mailing_entries AS entry JOIN mailing_suppressions AS suppression "
        "ON suppression.tenant_id = entry.tenant_id AND suppression.email = entry.email "
        "WHERE entry.mailing_id = $1 AND entry.status = 'SENDING'",
        {mailing_id}
    );
    if (!suppressed) return std::unexpected(suppressed.error());
    const auto is_suppressed = [&](std::int64_t id) {
        return std::ranges::any_of(*suppressed, [&](const Row& row) {
            return row.integer(0) == id;
        });
    };
    std::vector<MarkedEntry> kept;
    for (MarkedEntry& entry : marked.entries) {
        const bool is_unwanted = is_suppressed(entry.id);
        if (!is_unwanted && entry.attempts < attempts_max) {
            kept.push_back(std::move(entry));
            continue;
        }
        const auto status =
            !is_unwanted && entry.was_uncertain ? EntryStatus::unknown : EntryStatus::failed;
        const auto dropped =
            drop(transaction, entry.id, status, is_unwanted ? "suprimido" : "tentativas esgotadas");
        if (!dropped) return dropped;
        changes.add(status);
        ++marked.dropped;
    }
    marked.entries = std::move(kept);
    return {};
}

Result<std::optional<Duration>> next_due(Transaction& transaction, std::int64_t mailing_id)
{
    const auto rows = transaction.query(
        "SELECT min(due_at) FROM mailing_entries WHERE mailing_id = $1 AND status = 'PENDING'",
        {mailing_id}
    );
    if (!rows) return std::unexpected(rows.error());
    if (rows->front().is_null(0)) return std::nullopt;
    const Duration left = from_micros(rows->front().integer(0)) - transaction.now();
    return std::max(left, Duration{0});
}

}  // namespace umavez::mailing
