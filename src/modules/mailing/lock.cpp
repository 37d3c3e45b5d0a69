#include "modules/mailing/lock.hpp"

#include "base/random.hpp"
#include "modules/mailing/mailings_table.hpp"
#include "modules/parts/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez::mailing {
namespace {

// A transaction that waited for the row has an older time than the one it waited for: signs of life never go
// back, because owners compute from the newest.
constexpr std::string_view sign_of_life =
    "last_attempt = CASE WHEN last_attempt > $1 THEN last_attempt ELSE $1 END";

Result<Locking> why_not(Transaction& transaction, const TenantId& tenant_id, std::string_view uuid)
{
    const auto found = find_mailing_head(transaction, tenant_id, uuid);
    if (!found) return std::unexpected(found.error());
    if (!*found) return NothingToDo{};
    switch ((*found)->status) {
        case Status::pending:
        case Status::queued:
        case Status::ingesting:
        case Status::processing:
        case Status::failed: return HeldByOther{(*found)->status};
        case Status::draft:
        case Status::paused:
        case Status::completed:
        case Status::cancelled: break;
    }
    return NothingToDo{(*found)->status};
}

}  // namespace

std::string make_lock_token()
{
    Random& random = system_random();
    return fmt::format("{:016x}{:016x}", random.next(), random.next());
}

Result<Locking> try_lock(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::string_view uuid,
    std::string token,
    Duration lock_timeout
)
{
    const Instant now = transaction.now();
    const auto locked = transaction.query(
        "UPDATE mailings SET status = CASE is_ingested WHEN 0 THEN 'INGESTING' ELSE 'PROCESSING' "
        "END, lock_token = $3, last_attempt = $4, error = NULL, completed_at = NULL, "
        "updated_at = $4 WHERE uuid = $1 AND tenant_id = $2 AND ("
        "(status IN ('PENDING', 'QUEUED', 'FAILED') AND "
        "(lock_token IS NULL OR last_attempt IS NULL OR last_attempt < $5)) OR "
        "(status IN ('INGESTING', 'PROCESSING') AND "
        "(lock_token = $3 OR last_attempt IS NULL OR last_attempt < $5))) RETURNING id",
        {std::string{uuid}, tenant_id.text(), token, to_micros(now), to_micros(now - lock_timeout)}
    );
    if (!locked) return std::unexpected(locked.error());
    if (locked->empty()) return why_not(transaction, tenant_id, uuid);
    Owner owner{.mailing_id = locked->front().integer(0), .token = std::move(token)};
    const auto uncertain = settle_uncertain(transaction, owner.mailing_id);
    if (!uncertain) return std::unexpected(uncertain.error());
    auto mailing = find_mailing(transaction, tenant_id, uuid);
    if (!mailing) return std::unexpected(mailing.error());
    if (!*mailing) return fail(Errc::corrupt_record, "a mailing vanished while it was locked");
    return Locked{
        .mailing = **std::move(mailing), .owner = std::move(owner), .uncertain = *uncertain
    };
}

Result<void> keep_lock(Transaction& transaction, const Owner& owner, Status status)
{
    const auto kept = transaction.execute(
        fmt::format(
            "UPDATE mailings SET {} WHERE id = $2 AND lock_token = $3 AND status = $4", sign_of_life
        ),
        {to_micros(transaction.now()), owner.mailing_id, owner.token, std::string{to_text(status)}}
    );
    if (!kept) return std::unexpected(kept.error());
    if (*kept == 1) return {};
    return transaction.spoil(
        {Errc::lease_lost,
         fmt::format("mailing {} is another worker's, or was paused", owner.mailing_id),
         std::source_location::current()}
    );
}

Result<bool> still_owns(Transaction& transaction, const Owner& owner)
{
    const auto kept = transaction.execute(
        fmt::format("UPDATE mailings SET {} WHERE id = $2 AND lock_token = $3", sign_of_life),
        {to_micros(transaction.now()), owner.mailing_id, owner.token}
    );
    if (!kept) return std::unexpected(kept.error());
    return *kept == 1;
}

Result<bool> release_lock(
    Transaction& transaction, const Owner& owner, Status next, std::optional<std::string> error
)
{
    const auto released = transaction.execute(
        "UPDATE mailings SET lock_token = NULL, left_by = $3, updated_at = $1, "
        "error = CASE WHEN status IN ('INGESTING', 'PROCESSING') THEN $5 ELSE error END, "
        "completed_at = CASE WHEN status IN ('INGESTING', 'PROCESSING') AND $4 = 'COMPLETED' "
        "THEN $1 ELSE completed_at END, "
        "status = CASE WHEN status IN ('INGESTING', 'PROCESSING') THEN $4 ELSE status END "
        "WHERE id = $2 AND lock_token = $3",
        {to_micros(transaction.now()),
         owner.mailing_id,
         owner.token,
         std::string{to_text(next)},
         modules::to_value(error)}
    );
    if (!released) return std::unexpected(released.error());
    if (*released == 1) return true;
    return has_left(transaction, owner);
}

Result<bool> has_left(Transaction& transaction, const Owner& owner)
{
    const auto rows = transaction.query(
        "SELECT id FROM mailings WHERE id = $1 AND left_by = $2", {owner.mailing_id, owner.token}
    );
    if (!rows) return std::unexpected(rows.error());
    return !rows->empty();
}

Result<std::vector<std::string>> beat(Transaction& transaction, const std::vector<Owner>& owners)
{
    // In one order everywhere: two who hold some of the same rows would wait for each other.
    std::vector<const Owner*> ordered;
    ordered.reserve(owners.size());
    for (const Owner& owner : owners) ordered.push_back(&owner);
    std::ranges::sort(ordered, {}, [](const Owner* owner) { return owner->mailing_id; });
    std::vector<std::string> lost;
    for (const Owner* const owner : ordered) {
        const auto is_ours = still_owns(transaction, *owner);
        if (!is_ours) return std::unexpected(is_ours.error());
        if (!*is_ours) lost.push_back(owner->token);
    }
    return lost;
}

Result<std::int64_t> settle_uncertain(Transaction& transaction, std::int64_t mailing_id)
{
    const auto rows =
        transaction.query("SELECT incerteza FROM mailings WHERE id = $1", {mailing_id});
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return fail(Errc::not_found, "no such mailing");
    const bool again = rows->front().text(0) == to_text(Incerteza::ao_menos_uma);
    const std::int64_t now = to_micros(transaction.now());
    const auto settled = transaction.execute(
        "UPDATE mailing_entries SET status = $3, attempts = attempts + 1, "
        "uncertain_at = COALESCE(uncertain_at, $1), error = $4, updated_at = $1 "
        "WHERE mailing_id = $2 AND status = 'SENDING'",
        {now,
         mailing_id,
         std::string{to_text(again ? EntryStatus::pending : EntryStatus::unknown)},
         std::string{"o processo que enviava parou; talvez tenha sido enviado"}}
    );
    if (!settled || *settled == 0 || again) return settled;
    const auto counted = transaction.execute(
        "UPDATE mailings SET unknown = unknown + $2 WHERE id = $1", {mailing_id, *settled}
    );
    if (!counted) return std::unexpected(counted.error());
    return settled;
}

}  // namespace umavez::mailing
