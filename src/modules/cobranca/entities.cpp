#include "modules/cobranca/entities.hpp"

#include "base/assert.hpp"
#include "base/json_text.hpp"
#include "base/rfc3339.hpp"
#include "modules/parts/answers.hpp"

#include <fmt/format.h>

namespace umavez::cobranca {

Money saldo_of(const Fatura& fatura)
{
    const auto saldo = Money::from_cents(fatura.valor.cents() - fatura.valor_pago.cents());
    UMAVEZ_ASSERT(saldo.has_value());  // rows that say otherwise are not read
    return *saldo;
}

std::string to_json(const Assinatura& assinatura)
{
    return fmt::format(
        R"({{"id":{},"cliente":{},"plano":{},"valor":{},"ciclo":"{}","estado":"{}","versao":{},)"
        R"("created_at":"{}","updated_at":"{}"}})",
        assinatura.id,
        to_json_text(assinatura.cliente),
        to_json_text(assinatura.plano),
        assinatura.valor.text(),
        to_text(assinatura.ciclo),
        to_text(assinatura.estado),
        assinatura.versao,
        to_rfc3339(assinatura.created_at),
        to_rfc3339(assinatura.updated_at)
    );
}

std::string to_json(const Fatura& fatura)
{
    return fmt::format(
        R"({{"id":{},"assinatura_id":{},"competencia":"{}","valor":{},"valor_pago":{},"saldo":{},)"
        R"("estado":"{}","versao":{},"created_at":"{}","updated_at":"{}"}})",
        fatura.id,
        fatura.assinatura_id,
        fatura.competencia,
        fatura.valor.text(),
        fatura.valor_pago.text(),
        saldo_of(fatura).text(),
        to_text(fatura.estado),
        fatura.versao,
        to_rfc3339(fatura.created_at),
        to_rfc3339(fatura.updated_at)
    );
}

std::string to_json(const Pagamento& pagamento)
{
    return fmt::format(
        R"({{"id":{},"fatura_id":{},"valor":{},"meio":{},"origem":{},"referencia":{},)"
        R"("created_at":"{}"}})",
        pagamento.id,
        pagamento.fatura_id,
        pagamento.valor.text(),
        to_json_text(pagamento.meio),
        to_json_text(pagamento.origem),
        modules::text_or_null(pagamento.referencia),
        to_rfc3339(pagamento.created_at)
    );
}

std::string to_json(const Concessao& concessao)
{
    return fmt::format(
        R"({{"id":{},"fatura_id":{},"assinatura_id":{},"competencia":"{}","created_at":"{}"}})",
        concessao.id,
        concessao.fatura_id,
        concessao.assinatura_id,
        concessao.competencia,
        to_rfc3339(concessao.created_at)
    );
}

std::string to_json(const Pagamento& pagamento, const Fatura& fatura)
{
    std::string json = to_json(pagamento);
    json.pop_back();
    json += fmt::format(
        R"(,"fatura":{{"id":{},"estado":"{}","valor":{},"valor_pago":{},"saldo":{}}}}})",
        fatura.id,
        to_text(fatura.estado),
        fatura.valor.text(),
        fatura.valor_pago.text(),
        saldo_of(fatura).text()
    );
    return json;
}

}  // namespace umavez::cobranca
