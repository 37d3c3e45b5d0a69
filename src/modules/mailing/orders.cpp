#include "modules/mailing/orders.hpp"

#include "http/validation.hpp"
#include "modules/mailing/mailings_table.hpp"
#include "modules/mailing/reopen.hpp"
#include "modules/mailing/wake_up.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::mailing {
namespace {

Ordered refuse(http::Problem problem)
{
    return std::expected<Mailing, http::Problem>{std::unexpected(std::move(problem))};
}

// The sentence is for whoever uploaded it.
http::Problem unusable_file(const Error& error, http::Language language)
{
    return http::validation_problem({{"file", {error.detail, error.detail}}}, language);
}

Result<KnownNames> known_names(const Mailing& mailing, const Premises& premises)
{
    if (!mailing.storage_url) {
        return fail(Errc::store_unavailable, "the file of this mailing was removed");
    }
    auto columns = premises.read_columns(*mailing.storage_url);
    if (!columns) return std::unexpected(columns.error());
    return KnownNames{*std::move(columns), premises.has_public_url};
}

Result<void> write_status(Transaction& transaction, const Mailing& mailing, Status next)
{
    const bool goes_on = next == Status::queued;
    // What a worker writes while it holds the lock stays: its token, its last sign of life.
    const auto changed = transaction.execute(
        fmt::format(
            "UPDATE mailings SET status = $1, updated_at = $2{} WHERE id = $3",
            goes_on ? ", error = NULL, completed_at = NULL" : ""
        ),
        {std::string{to_text(next)}, to_micros(transaction.now()), mailing.id}
    );
    if (!changed) return std::unexpected(changed.error());
    if (!goes_on) return {};
    return write_wake_up(transaction, mailing.tenant_id, mailing.uuid);
}

// What is written before the mailing goes on; false: there is nothing to go on with.
Result<bool> prepare(Transaction& transaction, const Mailing& mailing, const MailingOrder& order)
{
    if (order.order != Order::reenviar_falhas) return true;
    const auto reopened = reopen_or_wish(transaction, mailing, order.incertas);
    if (!reopened) return std::unexpected(reopened.error());
    return *reopened > 0 || mailing.status == Status::failed;
}

Ordered found_again(Transaction& transaction, const Mailing& mailing)
{
    auto found = find_mailing_head(transaction, mailing.tenant_id, mailing.uuid);
    if (!found) return std::unexpected(found.error());
    if (*found) return **std::move(found);
    return fail(Errc::store_unavailable, "the mailing vanished inside the transaction; try again");
}

}  // namespace

Ordered run_order(Transaction& transaction, const MailingOrder& order, const Premises& premises)
{
    const auto found = find_mailing_locked(transaction, order.tenant_id, order.uuid);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refuse(no_mailing(order.uuid));
    const Mailing& mailing = **found;
    const auto next = after_order(mailing.status, order.order);
    if (!next) return refuse(cannot_order(mailing, order.order));
    if (*next == mailing.status) return mailing;
    if (order.order == Order::iniciar) {
        const auto known = known_names(mailing, premises);
        if (!known && known.error().code == Errc::invalid_argument) {
            return refuse(unusable_file(known.error(), order.language));
        }
        if (!known) return std::unexpected(known.error());
        const auto faults = find_faults(mailing.message.value_or(Message{}), *known);
        if (!faults.empty()) return refuse(http::validation_problem(faults, order.language));
    }
    const auto prepared = prepare(transaction, mailing, order);
    if (!prepared) return std::unexpected(prepared.error());
    if (*prepared) {
        const auto written = write_status(transaction, mailing, *next);
        if (!written) return std::unexpected(written.error());
    }
    return found_again(transaction, mailing);
}

Ordered change_message(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::string_view uuid,
    const MessageChanges& changes
)
{
    const auto found = find_mailing_locked(transaction, tenant_id, uuid);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refuse(no_mailing(uuid));
    const Mailing& mailing = **found;
    if (!may_change_message(mailing.status)) return refuse(cannot_change_message(mailing));
    const Message message = changed(mailing.message.value_or(Message{}), changes);
    const auto written = transaction.execute(
        "UPDATE mailings SET assunto = $1, remetente = $2, texto = $3, html = $4, incerteza = $5, "
        "updated_at = $6 WHERE id = $7",
        {message.assunto,
         message.remetente,
         message.texto,
         message.html,
         std::string{to_text(changes.incerteza.value_or(mailing.incerteza))},
         to_micros(transaction.now()),
         mailing.id}
    );
    if (!written) return std::unexpected(written.error());
    return found_again(transaction, mailing);
}

}  // namespace umavez::mailing
