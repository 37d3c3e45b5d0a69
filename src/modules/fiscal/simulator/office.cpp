#include "modules/fiscal/simulator/office.hpp"

#include "base/digest.hpp"
#include "base/utf8.hpp"
#include "modules/fiscal/simulator/documents.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::string_view cancelamento = "101101";

constexpr std::array<std::pair<std::string_view, std::string_view>, 18> descriptions{{
    {"E0004", "O identificador da DPS difere da concatenação dos campos da DPS"},
    {"E0006", "Ambiente informado diverge do ambiente de recebimento"},
    {"E0010", "Série da DPS fora da faixa do tipo de emissor"},
    {"E0014", "Já existe NFS-e para a série, o número, o município e o CNPJ/CPF desta DPS"},
    {"E0714", "A assinatura da DPS é inválida"},
    {"E0802", "Já existe um documento com este identificador de evento"},
    {"E0822", "O prazo para o cancelamento da NFS-e expirou"},
    {"E0840", "Evento não permitido: outro evento está vinculado à NFS-e"},
    {"E1217", "Serviço paralisado para manutenção"},
    {"E1225", "Falha na decodificação da base 64 da área de dados"},
    {"E1226", "Estrutura descompactada mal formada"},
    {"E1235", "Falha no esquema XML do DF-e"},
    {"E1242", "Tipo de DF-e não tratado pelo Sistema Nacional NFS-e"},
    {"E1827", "O identificador do pedido difere de PRE, chave de acesso e código do evento"},
    {"E1831", "A NFS-e não existe no Ambiente de Dados Nacional"},
    {"E1980", "A assinatura do pedido de registro de evento é inválida"},
    {"E2401", "Chave de acesso não encontrada"},
    {"E2406", "A chave de acesso consultada deve conter 50 posições"},
}};

// Substituted, under analysis, granted or refused: none of them leaves anything to cancel.
bool blocks_cancellation(const Note& note)
{
    return std::ranges::any_of(note.events, [](const auto& event) {
        return event.first != cancelamento;
    });
}

std::size_t characters(std::string_view text)
{
    std::size_t count = 0;
    for (; !text.empty(); ++count) take_character(text);
    return count;
}

// Secrecy: who is on the note may ask for it. The branches of a company share the first eight positions.
bool may_see(const Asked& asked, const Note& note)
{
    constexpr std::size_t root = 8;
    const std::string& issuer = note.authorised.inscricao;
    return asked.caller == issuer || (issuer.size() == 14 && asked.caller.size() == 14 &&
                                      asked.caller.substr(0, root) == issuer.substr(0, root));
}

Decision find_dps(const Asked& asked, const Book& book)
{
    if (!is_id_dps(asked.documento)) return {refusal(400, "E0004", asked.documento)};
    const Note* const note = book.find_by_documento(asked.documento);
    if (note == nullptr) return {{.status = 404, .documento = asked.documento}};
    if (!asked.is_head && !may_see(asked, *note)) {
        return {{.status = 403, .erros = {{"", "O certificado não é de um ator da NFS-e"}}}};
    }
    return {{.documento = asked.documento, .chave = note->authorised.chave}};
}

Decision find_nota(const Asked& asked, const Book& book)
{
    if (asked.chave.size() != 50) return {refusal(400, "E2406")};
    const Note* const note = book.find_by_chave(asked.chave);
    if (note == nullptr) return {refusal(404, "E2401")};
    const Authorised& authorised = note->authorised;
    return {
        {.chave = authorised.chave,
         .xml = make_nfse(authorised.xml, {authorised.chave, authorised.numero, authorised.at})}
    };
}

Answer answer_with(const EventRegistered& event, int status)
{
    return {
        .status = status,
        .chave = event.chave,
        .xml = make_evento(event.pedido, {event.chave, event.tipo, event.at}),
        .tipo = event.tipo,
        .at = event.at,
    };
}

Decision find_evento(const Asked& asked, const Book& book)
{
    if (asked.chave.size() != 50) return {refusal(400, "E2406")};
    const Note* const note = book.find_by_chave(asked.chave);
    const bool is_first = asked.sequencia == "1" || asked.sequencia == "001";
    const bool is_there = note != nullptr && is_first && note->events.contains(asked.tipo);
    if (!is_there) return {{.status = 404}};  // production says so without a code
    return {answer_with(note->events.at(asked.tipo), 200)};
}

}  // namespace

Erro erro_of(std::string codigo)
{
    std::string descricao;
    for (const auto& [known, words] : descriptions) {
        if (known == codigo) descricao = words;
    }
    return {std::move(codigo), std::move(descricao)};
}

Answer refusal(int status, std::string codigo, std::string documento)
{
    return {
        .status = status, .erros = {erro_of(std::move(codigo))}, .documento = std::move(documento)
    };
}

Decision NacionalOffice::decide(const Asked& asked, const Book& book, const Moment& moment) const
{
    switch (asked.call) {
        case Call::emitir: return authorise(asked, book, moment);
        case Call::consultar: return find_dps(asked, book);
        case Call::consultar_nota: return find_nota(asked, book);
        case Call::cancelar: return register_event(asked, book, moment);
        case Call::consultar_evento: return find_evento(asked, book);
        case Call::recibo:
        case Call::inutilizar:
        case Call::status: break;  // of SEFAZ
    }
    return {{.status = 404}};
}

// In the order in which the rules are applied: packing, schema, fields, signature, what is there already.
// A document without a signature passes (E0717 would refuse it), so that it can be written by hand.
Decision NacionalOffice::authorise(const Asked& asked, const Book& book, const Moment& moment) const
{
    if (!asked.packing_error.empty()) return {refusal(400, asked.packing_error)};
    const auto dps = read_dps(asked.xml);
    if (!dps) return {refusal(400, "E1235", asked.documento)};
    if (dps->ambiente != ambiente_) return {refusal(400, "E0006", dps->id)};
    if (dps->id != dps->id_of_fields()) return {refusal(400, "E0004", dps->id)};
    if (!is_signature_good(asked.xml, "infDPS")) return {refusal(400, "E0714", dps->id)};
    if (book.find_by_documento(dps->id) != nullptr) return {refusal(400, "E0014", dps->id)};
    const std::uint64_t numero = book.last_numero(dps->inscricao) + 1;
    Authorised authorised{
        .at = moment.now,
        .documento = dps->id,
        .chave = make_chave(*dps, numero, moment.now, moment.chance),
        .numero = numero,
        .inscricao = dps->inscricao,
        .sha256 = to_hex(sha256(asked.xml)),
        .xml = asked.xml,
        .substitui = dps->substitui,
    };
    Answer answer{
        .status = 201,
        .documento = dps->id,
        .chave = authorised.chave,
        .xml = make_nfse(asked.xml, {authorised.chave, numero, moment.now}),
    };
    return {std::move(answer), std::move(authorised)};
}

Decision NacionalOffice::register_event(const Asked& asked, const Book& book, const Moment& moment)
    const
{
    constexpr std::size_t motivo_min = 15;
    constexpr std::size_t motivo_max = 255;
    if (!asked.packing_error.empty()) return {refusal(400, asked.packing_error)};
    const auto pedido = read_pedido(asked.xml);
    if (!pedido) return {refusal(400, "E1235")};
    // 105102 is generated by the system, 105104 and 105105 by the tax office.
    const bool is_for_issuers = pedido->tipo == cancelamento || pedido->tipo == "101103";
    const std::size_t motivo = characters(pedido->motivo);
    if (!is_for_issuers || motivo < motivo_min || motivo > motivo_max)
        return {refusal(400, "E1235")};
    if (pedido->ambiente != ambiente_) return {refusal(400, "E0006")};
    if (pedido->id != "PRE" + asked.chave + pedido->tipo || pedido->chave != asked.chave) {
        return {refusal(400, "E1827")};
    }
    if (!is_signature_good(asked.xml, "infPedReg")) return {refusal(400, "E1980")};
    const Note* const note = book.find_by_chave(asked.chave);
    if (note == nullptr) return {refusal(400, "E1831")};
    if (const auto same = note->events.find(pedido->tipo); same != note->events.end()) {
        // What came through this door has this very id; what was done elsewhere is only in the way.
        return {refusal(400, same->second.pedido.empty() ? "E0840" : "E0802")};
    }
    if (blocks_cancellation(*note)) return {refusal(400, "E0840")};
    EventRegistered registered{
        .at = moment.now, .chave = asked.chave, .tipo = pedido->tipo, .pedido = asked.xml
    };
    Answer answer = answer_with(registered, 201);
    return {std::move(answer), std::move(registered)};
}

}  // namespace umavez::fiscal::simulator
