#include "modules/fiscal/entities.hpp"

#include "base/json_object.hpp"
#include "modules/parts/answers.hpp"

#include <algorithm>
#include <span>

namespace umavez::fiscal {
namespace {

// Authorities send a handful; whoever sends more has said enough.
constexpr std::size_t mensagens_max = 50;

// What states give for a cancellation by substitution (event 110112).
constexpr Duration substitution_within = std::chrono::hours{168};

std::string id_or_null(std::optional<std::int64_t> id)
{
    return id ? std::to_string(*id) : "null";
}

}  // namespace

std::optional<Instant> prazo_substituicao(const Documento& documento)
{
    const bool is_open = documento.substituto_id && documento.estado == Estado::autorizado;
    if (!is_open || !documento.autorizado_em) return std::nullopt;
    return *documento.autorizado_em + substitution_within;
}

std::string to_json(const std::vector<Mensagem>& mensagens)
{
    const std::size_t count = std::min(mensagens.size(), mensagens_max);
    return to_json_array(std::span{mensagens}.first(count), [](const Mensagem& mensagem) {
        return JsonObject{}
            .text("codigo", mensagem.codigo)
            .text("descricao", mensagem.descricao)
            .str();
    });
}

std::string to_json(const Documento& documento)
{
    using modules::text_or_null;
    const Identidade& identidade = documento.identidade;
    return JsonObject{}
        .number("id", documento.id)
        .text("tipo", to_text(identidade.tipo))
        .text("ambiente", to_text(identidade.ambiente))
        .text("emitente", identidade.emitente)
        .text("serie", identidade.serie)
        .number("numero", identidade.numero)
        .text("estado", to_text(documento.estado))
        .number("versao", documento.versao)
        .raw("chave_acesso", text_or_null(documento.chave_acesso))
        .raw("protocolo", text_or_null(documento.protocolo))
        .raw("id_autoridade", text_or_null(identidade.id_autoridade))
        .text("id_idempotencia", identidade.id_idempotencia)
        .raw("idempotencia_key", text_or_null(documento.idempotencia_key))
        .raw("xml_sha256", text_or_null(documento.xml_sha256))
        .raw("mensagens", documento.mensagens)
        .number("tentativas", documento.tentativas)
        .instant("proxima_conciliacao_em", documento.conciliar_em)
        .raw("alerta", text_or_null(documento.alerta))
        .raw("justificativa", text_or_null(documento.justificativa))
        .raw("protocolo_cancelamento", text_or_null(documento.protocolo_cancelamento))
        .raw("prazo_inutilizacao", text_or_null(documento.prazo_inutilizacao))
        .instant("reservado_em", documento.reservado_em)
        .instant("autorizado_em", documento.autorizado_em)
        .instant("cancelado_em", documento.cancelado_em)
        .raw("substituto_id", id_or_null(documento.substituto_id))
        .instant("prazo_substituicao", prazo_substituicao(documento))
        .instant("created_at", documento.created_at)
        .instant("updated_at", documento.updated_at)
        .str();
}

}  // namespace umavez::fiscal
