#include "base/shown.hpp"
#include "base/utf8.hpp"
#include "modules/cobranca/commands.hpp"
#include "modules/cobranca/concessoes_table.hpp"
#include "modules/cobranca/events.hpp"
#include "modules/cobranca/faturas_table.hpp"
#include "modules/cobranca/input.hpp"
#include "modules/cobranca/pagamentos_table.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::cobranca {
namespace {

bool has_length(std::string_view text, std::size_t characters_max)
{
    if (text.empty()) return false;
    std::size_t characters = 0;
    while (!text.empty() && characters <= characters_max) {
        take_character(text);
        ++characters;
    }
    return characters <= characters_max;
}

// A row that the table would refuse spoils the transaction; said beforehand, its sender is told what
// is wrong.
Result<void> check(const NovoPagamento& novo)
{
    const auto wrong = [](std::string detail) {
        return fail(Errc::invalid_argument, "a payment whose " + std::move(detail));
    };
    if (novo.valor.cents() == 0) return wrong("valor is 0.00");
    if (!has_length(novo.meio, meio_max)) return wrong("meio is empty or too long");
    if (!has_length(novo.origem, origem_max)) return wrong("origem is empty or too long");
    if (novo.referencia && !has_length(*novo.referencia, referencia_max)) {
        return wrong("referencia is empty or too long");
    }
    return {};
}

std::string detail_of(PaymentRefusal reason, const NovoPagamento& novo, const Fatura* fatura)
{
    switch (reason) {
        case PaymentRefusal::unknown_invoice:
            return fmt::format("there is no fatura {}", novo.fatura_id);
        case PaymentRefusal::exceeds_balance:
            return fmt::format(
                "{} is more than the balance of fatura {}, {}",
                novo.valor.text(),
                novo.fatura_id,
                saldo_of(*fatura).text()
            );
        case PaymentRefusal::already_paid: return fmt::format("fatura {} is paid", novo.fatura_id);
        case PaymentRefusal::cancelled:
            return fmt::format("fatura {} is cancelled", novo.fatura_id);
        case PaymentRefusal::other_content:
            return fmt::format(
                "the payment {} of {} is there with another fatura or valor",
                shown(novo.referencia.value_or("")),
                shown(novo.origem)
            );
    }
    return {};
}

PaymentOutcome refuse(
    PaymentRefusal reason, const NovoPagamento& novo, std::optional<Fatura> fatura
)
{
    std::string detail = detail_of(reason, novo, fatura ? &*fatura : nullptr);
    return PaymentRefused{reason, std::move(detail), std::move(fatura)};
}

Result<PaymentOutcome> book(
    Transaction& transaction, const TenantId& tenant_id, Pagamento pagamento, const Fatura& before
)
{
    Fatura after = with_payment(before, pagamento.valor, transaction.now());
    const bool is_paid = after.estado == EstadoFatura::paga;
    if (const auto written = replace_fatura(transaction, after); !written) {
        return std::unexpected(written.error());
    }
    if (is_paid) {
        const auto granted = ensure_concessao(transaction, tenant_id, after);
        if (!granted) return std::unexpected(granted.error());
    }
    if (const auto told = append_payment_event(transaction, tenant_id, pagamento, after); !told) {
        return std::unexpected(told.error());
    }
    if (is_paid) {
        const auto told = append_event(transaction, tenant_id, "fatura.paga", after);
        if (!told) return std::unexpected(told.error());
    }
    return PaymentApplied{std::move(pagamento), std::move(after)};
}

}  // namespace

Result<PaymentOutcome> apply_payment(
    Transaction& transaction, const TenantId& tenant_id, const NovoPagamento& novo
)
{
    if (const auto valid = check(novo); !valid) return std::unexpected(valid.error());
    auto fatura = find_fatura_locked(transaction, tenant_id, novo.fatura_id);
    if (!fatura) return std::unexpected(fatura.error());
    const std::optional<PaymentRefusal> reason =
        *fatura ? why_not_payable(**fatura, novo.valor) : PaymentRefusal::unknown_invoice;
    if (!reason) {
        auto inserted = insert_pagamento(transaction, tenant_id, novo);
        if (!inserted) return std::unexpected(inserted.error());
        if (*inserted) return book(transaction, tenant_id, **std::move(inserted), **fatura);
    }
    // Its own first application may be why the invoice takes it no more: the reference is looked up
    // only here, so that a payment which is new costs no question.
    if (novo.referencia) {
        auto earlier =
            find_pagamento_by_reference(transaction, tenant_id, novo.origem, *novo.referencia);
        if (!earlier) return std::unexpected(earlier.error());
        if (*earlier) {
            const bool is_same = *fatura && (*earlier)->fatura_id == novo.fatura_id &&
                                 (*earlier)->valor == novo.valor;
            if (!is_same) return refuse(PaymentRefusal::other_content, novo, *std::move(fatura));
            return PaymentApplied{**std::move(earlier), **std::move(fatura), true};
        }
    }
    if (!reason) {
        return fail(
            Errc::store_unavailable, "the payment vanished inside the transaction; try again"
        );
    }
    return refuse(*reason, novo, *std::move(fatura));
}

}  // namespace umavez::cobranca
