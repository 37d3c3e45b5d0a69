#include "modules/propostas/entities.hpp"

#include "base/json_text.hpp"
#include "base/rfc3339.hpp"
#include "modules/parts/answers.hpp"

#include <fmt/format.h>

namespace umavez::propostas {

using modules::text_or_null;

std::string to_json(const Cliente& cliente)
{
    return fmt::format(
        R"({{"id":{},"nome":{},"email":{},"documento":{},"idempotencia_key":{},)"
        R"("created_at":"{}","updated_at":"{}"}})",
        cliente.id,
        to_json_text(cliente.nome),
        to_json_text(cliente.email),
        text_or_null(cliente.documento),
        text_or_null(cliente.idempotencia_key),
        to_rfc3339(cliente.created_at),
        to_rfc3339(cliente.updated_at)
    );
}

std::string to_json(const Proposta& proposta)
{
    return fmt::format(
        R"({{"id":{},"cliente_id":{},"valor":{},"estado":"{}","versao":{},"idempotencia_key":{},)"
        R"("created_at":"{}","updated_at":"{}"}})",
        proposta.id,
        proposta.cliente_id,
        proposta.valor.text(),
        to_text(proposta.estado),
        proposta.versao,
        text_or_null(proposta.idempotencia_key),
        to_rfc3339(proposta.created_at),
        to_rfc3339(proposta.updated_at)
    );
}

std::string to_json(const HistoricoStep& step)
{
    return fmt::format(
        R"({{"versao":{},"operacao":{},"estado_anterior":{},"estado":"{}","valor":{},"usuario":{},)"
        R"("created_at":"{}"}})",
        step.versao,
        to_json_text(step.operacao),
        step.estado_anterior ? fmt::format("\"{}\"", to_text(*step.estado_anterior)) : "null",
        to_text(step.estado),
        step.valor.text(),
        text_or_null(step.usuario),
        to_rfc3339(step.created_at)
    );
}

}  // namespace umavez::propostas
