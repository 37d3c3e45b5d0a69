#include "modules/mailing/ledger.hpp"

#include "modules/mailing/marks.hpp"
#include "modules/parts/columns.hpp"

#include <utility>

namespace umavez::mailing {
namespace {

Result<void> count(
    Transaction& transaction,
    const Owner& owner,
    const Changes& changes,
    const std::optional<std::string>& trouble
)
{
    const auto counted = transaction.execute(
        "UPDATE mailings SET sent = sent + $2, failed = failed + $3, unknown = unknown + $4, "
        "error = $5, updated_at = $6 WHERE id = $1",
        {owner.mailing_id,
         changes.sent,
         changes.failed,
         changes.unknown,
         modules::to_value(trouble),
         to_micros(transaction.now())}
    );
    if (!counted) return std::unexpected(counted.error());
    return {};
}

Result<void> mark(
    Transaction& transaction,
    const Owner& owner,
    const Advance& step,
    Marked& marked,
    Changes& changes
)
{
    if (step.batch == 0) return take_back_marks(transaction, owner.mailing_id);
    if (step.collects) {
        auto collected = find_marked(transaction, owner.mailing_id);
        if (!collected) return std::unexpected(collected.error());
        marked.entries = *std::move(collected);
    }
    if (marked.entries.empty()) {
        auto entries = mark_due(transaction, owner.mailing_id, step.batch);
        if (!entries) return std::unexpected(entries.error());
        marked.entries = *std::move(entries);
    }
    const auto dropped =
        drop_unwanted(transaction, owner.mailing_id, step.attempts_max, marked, changes);
    if (!dropped) return dropped;
    if (!marked.entries.empty() || marked.dropped > 0) return {};
    const auto due_in = next_due(transaction, owner.mailing_id);
    if (!due_in) return std::unexpected(due_in.error());
    marked.due_in = *due_in;
    return {};
}

}  // namespace

Result<Marked> advance(Transaction& transaction, const Owner& owner, const Advance& step)
{
    if (auto kept = keep_lock(transaction, owner, Status::processing); !kept) {
        return std::unexpected(kept.error());
    }
    Changes changes;
    if (auto written = write_results(transaction, owner.mailing_id, step.results, changes);
        !written) {
        return std::unexpected(written.error());
    }
    Marked marked;
    if (auto done = mark(transaction, owner, step, marked, changes); !done) {
        return std::unexpected(done.error());
    }
    if (auto counted = count(transaction, owner, changes, step.trouble); !counted) {
        return std::unexpected(counted.error());
    }
    return marked;
}

Result<bool> leave(Transaction& transaction, const Owner& owner, const Leave& step)
{
    const auto is_ours = still_owns(transaction, owner);
    if (!is_ours) return is_ours;
    if (!*is_ours) return has_left(transaction, owner);
    Changes changes;
    if (auto written = write_results(transaction, owner.mailing_id, step.results, changes);
        !written) {
        return std::unexpected(written.error());
    }
    if (auto taken = take_back_marks(transaction, owner.mailing_id); !taken) {
        return std::unexpected(taken.error());
    }
    const auto counted = transaction.execute(
        "UPDATE mailings SET sent = sent + $2, failed = failed + $3, unknown = unknown + $4 "
        "WHERE id = $1",
        {owner.mailing_id, changes.sent, changes.failed, changes.unknown}
    );
    if (!counted) return std::unexpected(counted.error());
    return release_lock(transaction, owner, step.next, step.error);
}

Result<void> finish(Transaction& transaction, const Owner& owner)
{
    const auto is_ours = still_owns(transaction, owner);
    if (!is_ours) return std::unexpected(is_ours.error());
    if (!*is_ours) {
        const auto is_done = has_left(transaction, owner);
        if (!is_done) return std::unexpected(is_done.error());
        if (*is_done) return {};
    }
    if (auto kept = keep_lock(transaction, owner, Status::processing); !kept) return kept;
    const auto released = release_lock(transaction, owner, Status::completed, std::nullopt);
    if (!released) return std::unexpected(released.error());
    return {};
}

Result<bool> may_go_on(Transaction& transaction, const Owner& owner)
{
    const auto rows = transaction.query(
        "SELECT id FROM mailings WHERE id = $1 AND lock_token = $2 AND status = 'PROCESSING'",
        {owner.mailing_id, owner.token}
    );
    if (!rows) return std::unexpected(rows.error());
    return !rows->empty();
}

}  // namespace umavez::mailing
