#include "modules/mailing/recover.hpp"

#include "modules/mailing/lock.hpp"
#include "modules/mailing/wake_up.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::mailing {
namespace {

struct Found {
    std::int64_t id = 0;
    std::string uuid;
    TenantId tenant_id;
};

Result<std::vector<Found>> find(
    Transaction& transaction, std::string_view condition, Instant before, std::size_t limit
)
{
    const bool is_shared = transaction.dialect() == Dialect::postgres;
    const auto rows = transaction.query(
        fmt::format(
            "SELECT id, uuid, tenant_id FROM mailings WHERE {} LIMIT $2{}",
            condition,
            is_shared ? " FOR UPDATE SKIP LOCKED" : ""
        ),
        {to_micros(before), static_cast<std::int64_t>(limit)}
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<Found> found;
    for (const Row& row : *rows) {
        auto tenant_id = TenantId::parse(row.text(2));
        if (!tenant_id) return fail(Errc::corrupt_record, "the tenant of a mailing is no name");
        found.push_back({row.integer(0), row.text(1), *std::move(tenant_id)});
    }
    return found;
}

// A wake-up, unless one is on its way: it may be hidden or held back, but it comes.
Result<bool> wake(Transaction& transaction, const Found& mailing)
{
    const auto waiting = count_wake_ups(transaction, mailing.uuid);
    if (!waiting) return std::unexpected(waiting.error());
    if (*waiting > 0) return false;
    const auto written = write_wake_up(transaction, mailing.tenant_id, mailing.uuid);
    if (!written) return std::unexpected(written.error());
    return true;
}

Result<void> give_back_stale(
    Transaction& transaction, Instant stale, std::size_t limit, Recovered& recovered
)
{
    const auto mailings = find(
        transaction,
        "status IN ('INGESTING', 'PROCESSING') AND (last_attempt IS NULL OR last_attempt < $1) "
        "ORDER BY last_attempt",
        stale,
        limit
    );
    if (!mailings) return std::unexpected(mailings.error());
    for (const Found& mailing : *mailings) {
        const auto reset = transaction.execute(
            "UPDATE mailings SET status = 'PENDING', lock_token = NULL, last_attempt = NULL, "
            "updated_at = $2 WHERE id = $1",
            {mailing.id, to_micros(transaction.now())}
        );
        if (!reset) return std::unexpected(reset.error());
        const auto uncertain = settle_uncertain(transaction, mailing.id);
        if (!uncertain) return std::unexpected(uncertain.error());
        const auto woken = wake(transaction, mailing);
        if (!woken) return std::unexpected(woken.error());
        recovered.uncertain += *uncertain;
        recovered.stale.push_back(mailing.uuid);
    }
    recovered.has_more = recovered.has_more || mailings->size() == limit;
    return {};
}

Result<void> take_off_dead_owners(
    Transaction& transaction, Instant stale, std::size_t limit, Recovered& recovered
)
{
    const auto mailings = find(
        transaction,
        "lock_token IS NOT NULL AND status NOT IN ('INGESTING', 'PROCESSING') AND "
        "(last_attempt IS NULL OR last_attempt < $1) ORDER BY last_attempt",
        stale,
        limit
    );
    if (!mailings) return std::unexpected(mailings.error());
    for (const Found& mailing : *mailings) {
        const auto freed = transaction.execute(
            "UPDATE mailings SET lock_token = NULL, updated_at = $2 WHERE id = $1",
            {mailing.id, to_micros(transaction.now())}
        );
        if (!freed) return std::unexpected(freed.error());
        const auto uncertain = settle_uncertain(transaction, mailing.id);
        if (!uncertain) return std::unexpected(uncertain.error());
        recovered.uncertain += *uncertain;
    }
    recovered.left = mailings->size();
    recovered.has_more = recovered.has_more || mailings->size() == limit;
    return {};
}

Result<void> wake_forgotten(
    Transaction& transaction, Instant before, std::size_t limit, Recovered& recovered
)
{
    const auto mailings = find(
        transaction,
        "status IN ('PENDING', 'QUEUED') AND updated_at < $1 ORDER BY updated_at",
        before,
        limit
    );
    if (!mailings) return std::unexpected(mailings.error());
    for (const Found& mailing : *mailings) {
        const auto woken = wake(transaction, mailing);
        if (!woken) return std::unexpected(woken.error());
        if (*woken) ++recovered.woken;
        // Looked at: the next scan looks at others, and at this one when it was forgotten again.
        const auto touched = transaction.execute(
            "UPDATE mailings SET updated_at = $2 WHERE id = $1",
            {mailing.id, to_micros(transaction.now())}
        );
        if (!touched) return std::unexpected(touched.error());
    }
    recovered.has_more = recovered.has_more || mailings->size() == limit;
    return {};
}

}  // namespace

Result<Recovered> recover(
    Transaction& transaction, Duration lock_timeout, Duration forgotten, std::size_t limit
)
{
    const Instant now = transaction.now();
    const Instant stale = now - lock_timeout;
    Recovered recovered;
    if (auto done = give_back_stale(transaction, stale, limit, recovered); !done) {
        return std::unexpected(done.error());
    }
    if (auto done = take_off_dead_owners(transaction, stale, limit, recovered); !done) {
        return std::unexpected(done.error());
    }
    if (auto done = wake_forgotten(transaction, now - forgotten, limit, recovered); !done) {
        return std::unexpected(done.error());
    }
    return recovered;
}

}  // namespace umavez::mailing
