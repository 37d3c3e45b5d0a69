#include "modules/mailing/reopen.hpp"

#include <utility>

namespace umavez::mailing {
namespace {

// What `mailings.reopens` holds.
constexpr std::int64_t no_wish = 0;
constexpr std::int64_t failed_ones = 1;
constexpr std::int64_t uncertain_ones_too = 2;

Result<std::int64_t> reopen(
    Transaction& transaction, std::int64_t mailing_id, EntryStatus from, std::size_t most
)
{
    return transaction.execute(
        "UPDATE mailing_entries SET status = 'PENDING', attempts = 0, due_at = 0, error = NULL, "
        "updated_at = $1 WHERE id IN (SELECT id FROM mailing_entries WHERE mailing_id = $2 AND "
        "status = $3 ORDER BY id LIMIT $4)",
        {to_micros(transaction.now()),
         mailing_id,
         std::string{to_text(from)},
         static_cast<std::int64_t>(most)}
    );
}

// Those that failed are sent again; those whose fate is unknown only where somebody decided so. An address
// that was suppressed fails again.
Result<std::int64_t> reopen_step_of(
    Transaction& transaction, std::int64_t mailing_id, bool incertas, std::size_t most
)
{
    const auto failed = reopen(transaction, mailing_id, EntryStatus::failed, most);
    if (!failed) return failed;
    std::int64_t unknown = 0;
    if (const auto left = most - static_cast<std::size_t>(*failed); incertas && left > 0) {
        const auto reopened = reopen(transaction, mailing_id, EntryStatus::unknown, left);
        if (!reopened) return reopened;
        unknown = *reopened;
    }
    const auto counted = transaction.execute(
        "UPDATE mailings SET failed = failed - $1, unknown = unknown - $2 WHERE id = $3",
        {*failed, unknown, mailing_id}
    );
    if (!counted) return counted;
    return *failed + unknown;
}

Result<void> write_wish(Transaction& transaction, std::int64_t mailing_id, std::int64_t wish)
{
    const auto written =
        transaction.execute("UPDATE mailings SET reopens = $2 WHERE id = $1", {mailing_id, wish});
    if (!written) return std::unexpected(written.error());
    return {};
}

Result<std::int64_t> read_wish(Transaction& transaction, const Owner& owner)
{
    const auto rows =
        transaction.query("SELECT reopens FROM mailings WHERE id = $1", {owner.mailing_id});
    if (!rows) return std::unexpected(rows.error());
    return rows->empty() ? no_wish : rows->front().integer(0);
}

}  // namespace

Result<std::int64_t> reopen_or_wish(Transaction& transaction, const Mailing& mailing, bool incertas)
{
    const std::int64_t all = mailing.counts.failed + (incertas ? mailing.counts.unknown : 0);
    if (all <= static_cast<std::int64_t>(reopen_step)) {
        return reopen_step_of(transaction, mailing.id, incertas, reopen_step);
    }
    const auto written =
        write_wish(transaction, mailing.id, incertas ? uncertain_ones_too : failed_ones);
    if (!written) return std::unexpected(written.error());
    return all;
}

Result<bool> wishes_reopening(Transaction& transaction, const Owner& owner)
{
    const auto wish = read_wish(transaction, owner);
    if (!wish) return std::unexpected(wish.error());
    return *wish != no_wish;
}

Result<bool> reopen_some(Transaction& transaction, const Owner& owner, std::size_t most)
{
    if (auto kept = keep_lock(transaction, owner, Status::processing); !kept) {
        return std::unexpected(kept.error());
    }
    const auto wish = read_wish(transaction, owner);
    if (!wish) return std::unexpected(wish.error());
    if (*wish == no_wish) return false;
    const auto reopened =
        reopen_step_of(transaction, owner.mailing_id, *wish == uncertain_ones_too, most);
    if (!reopened) return std::unexpected(reopened.error());
    if (*reopened == static_cast<std::int64_t>(most)) return true;
    if (auto written = write_wish(transaction, owner.mailing_id, no_wish); !written) {
        return std::unexpected(written.error());
    }
    return false;
}

}  // namespace umavez::mailing
