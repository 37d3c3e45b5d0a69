#include "modules/cobranca/service.hpp"

#include "modules/cobranca/answers.hpp"
#include "modules/cobranca/assinaturas_table.hpp"
#include "modules/cobranca/commands.hpp"
#include "modules/cobranca/events.hpp"
#include "modules/cobranca/faturas_table.hpp"
#include "modules/cobranca/subscription_change.hpp"

#include <utility>

namespace umavez::cobranca {
namespace {

using key_protocol::AtomicAction;
using key_protocol::ExpectedVersion;
using modules::Origin;

Answered run_criar_assinatura(
    Transaction& transaction, const Origin& origin, const NovaAssinatura& nova
)
{
    const auto made = insert_assinatura(transaction, origin.tenant_id, nova);
    if (!made) return std::unexpected(made.error());
    const auto told = append_event(transaction, origin.tenant_id, "assinatura.criada", *made);
    if (!told) return std::unexpected(told.error());
    return to_response(201, *made);
}

Answered run_alterar_assinatura(
    Transaction& transaction,
    const Origin& origin,
    std::int64_t id,
    const AssinaturaChanges& changes,
    const ExpectedVersion& expected
)
{
    auto found = find_assinatura_locked(transaction, origin.tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refused(not_found("assinatura", id));
    Assinatura& next = **found;
    if (auto conflict = key_protocol::check_version(expected, next.versao)) {
        return refused(*std::move(conflict));
    }
    const EstadoAssinatura estado = changes.estado.value_or(next.estado);
    if (!may_become(next.estado, estado)) return refused(subscription_is_final(next));
    // What a provider says of an earlier time does not undo what was decided here.
    if (estado != next.estado) next.ultimo_evento_em = transaction.now();
    next.estado = estado;
    if (changes.plano) next.plano = *changes.plano;
    if (changes.valor) next.valor = *changes.valor;
    const auto written = write_next_version(transaction, origin.tenant_id, std::move(next));
    if (!written) return std::unexpected(written.error());
    return to_response(200, *written);
}

Answered run_criar_fatura(Transaction& transaction, const Origin& origin, const NovaFatura& nova)
{
    // Held, so that it is not cancelled before the invoice is there.
    const auto assinatura =
        find_assinatura_locked(transaction, origin.tenant_id, nova.assinatura_id);
    if (!assinatura) return std::unexpected(assinatura.error());
    if (!*assinatura) return refused(unknown_assinatura(nova.assinatura_id, origin.language));
    if (is_final((*assinatura)->estado)) return refused(no_invoice_for(**assinatura));

    const auto made = insert_fatura(transaction, origin.tenant_id, nova, (*assinatura)->valor);
    if (!made) return std::unexpected(made.error());
    if (!*made) {
        const auto earlier = find_fatura_of_month(transaction, origin.tenant_id, nova);
        if (!earlier) return std::unexpected(earlier.error());
        if (*earlier) return refused(invoice_exists(**earlier));
        return fail(
            Errc::store_unavailable, "the invoice vanished inside the transaction; try again"
        );
    }
    const auto told = append_event(transaction, origin.tenant_id, "fatura.criada", **made);
    if (!told) return std::unexpected(told.error());
    return to_response(201, **made);
}

Answered run_cancelar_fatura(
    Transaction& transaction, const Origin& origin, std::int64_t id, const ExpectedVersion& expected
)
{
    auto found = find_fatura_locked(transaction, origin.tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refused(not_found("fatura", id));
    Fatura& fatura = **found;
    if (auto conflict = key_protocol::check_version(expected, fatura.versao)) {
        return refused(*std::move(conflict));
    }
    if (!may_cancel(fatura)) return refused(cannot_cancel(fatura));
    fatura.estado = EstadoFatura::cancelada;
    ++fatura.versao;
    fatura.updated_at = transaction.now();
    if (const auto written = replace_fatura(transaction, fatura); !written) {
        return std::unexpected(written.error());
    }
    const auto told = append_event(transaction, origin.tenant_id, "fatura.cancelada", fatura);
    if (!told) return std::unexpected(told.error());
    return to_response(200, fatura);
}

Answered run_aplicar_pagamento(
    Transaction& transaction, const Origin& origin, const PagamentoBody& body
)
{
    const NovoPagamento novo{
        .fatura_id = body.fatura_id, .valor = body.valor, .meio = body.meio, .origem = "api"
    };
    const auto outcome = apply_payment(transaction, origin.tenant_id, novo);
    if (!outcome) return std::unexpected(outcome.error());
    if (const auto* const refusal = std::get_if<PaymentRefused>(&*outcome)) {
        return refused(payment_refused(*refusal, body.fatura_id, origin.language));
    }
    return to_response(201, std::get<PaymentApplied>(*outcome));
}

}  // namespace

AtomicAction criar_assinatura(Origin origin, NovaAssinatura nova)
{
    return [origin = std::move(origin), nova = std::move(nova)](Transaction& transaction) {
        return run_criar_assinatura(transaction, origin, nova);
    };
}

AtomicAction alterar_assinatura(
    Origin origin, std::int64_t id, AssinaturaChanges changes, ExpectedVersion expected
)
{
    return [origin = std::move(origin),
            id,
            changes = std::move(changes),
            expected = std::move(expected)](Transaction& transaction) {
        return run_alterar_assinatura(transaction, origin, id, changes, expected);
    };
}

AtomicAction criar_fatura(Origin origin, NovaFatura nova)
{
    return [origin = std::move(origin), nova = std::move(nova)](Transaction& transaction) {
        return run_criar_fatura(transaction, origin, nova);
    };
}

AtomicAction cancelar_fatura(Origin origin, std::int64_t id, ExpectedVersion expected)
{
    return [origin = std::move(origin), id, expected = std::move(expected)](Transaction& transaction
           ) { return run_cancelar_fatura(transaction, origin, id, expected); };
}

AtomicAction aplicar_pagamento(Origin origin, PagamentoBody body)
{
    return [origin = std::move(origin), body = std::move(body)](Transaction& transaction) {
        return run_aplicar_pagamento(transaction, origin, body);
    };
}

}  // namespace umavez::cobranca
