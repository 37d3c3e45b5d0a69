#include "modules/fiscal/simulator/sp_office.hpp"

#include "base/digest.hpp"
#include "modules/fiscal/simulator/packing.hpp"
#include "modules/fiscal/simulator/sp_documents.hpp"

#include <utility>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::size_t message_bytes_max = 512'000;

// Whose it is, is not asked.
bool is_signature(std::string_view base64)
{
    const auto bytes = decode_base64(base64);
    return bytes && !bytes->empty();
}

SpDecision refuse(std::string codigo)
{
    return {sp_error(std::move(codigo))};
}

SpDecision issue(const Asked& asked, const Book& book, const Moment& moment)
{
    const auto rps = read_rps(asked.xml);
    if (!rps) return refuse("1001");
    if (!is_signature(rps->assinatura)) return refuse("1206");
    const std::uint64_t numero = book.last_numero(rps->chave.inscricao) + 1;
    Authorised authorised{
        .at = moment.now,
        .documento = asked.documento,
        .chave = ChaveNota{rps->chave.inscricao, std::to_string(numero)}.chave(),
        .numero = numero,
        .inscricao = rps->chave.inscricao,
        .sha256 = to_hex(sha256(asked.sent)),
        .xml = asked.sent,
    };
    SpDecision decision;
    decision.answer.notes.push_back({authorised});
    const Note* const earlier = book.find_by_documento(asked.documento);
    if (earlier != nullptr) decision.answer.avisos.push_back({"217", true});
    decision.events.emplace_back(authorised);
    if (earlier != nullptr && !earlier->is_cancelled()) {
        decision.events.emplace_back(EventRegistered{
            .at = moment.now,
            .chave = earlier->authorised.chave,
            .tipo = std::string{sp_cancelled},
            .substituta = authorised.chave,
        });
    }
    return decision;
}

SpDecision find(const Asked& asked, const Book& book)
{
    if (!read_consulta(asked.xml)) return refuse("1001");
    SpDecision decision;
    if (!asked.chave.empty()) {
        if (const Note* const note = book.find_by_chave(asked.chave))
            decision.answer.notes.push_back(*note);
    } else {
        decision.answer.notes = book.find_notes(asked.documento);
    }
    return decision.answer.notes.empty() ? refuse("1106") : decision;
}

SpDecision cancel(const Asked& asked, const Book& book, const Moment& moment)
{
    const auto cancelamento = read_cancelamento(asked.xml);
    if (!cancelamento) return refuse("1001");
    if (!is_signature(cancelamento->assinatura)) return refuse("1305");
    const Note* const note = book.find_by_chave(asked.chave);
    if (note == nullptr) return refuse("1106");
    if (note->is_cancelled()) return {{.avisos = {{"1301", true}}}};
    return {
        {},
        {EventRegistered{
            .at = moment.now,
            .chave = asked.chave,
            .tipo = std::string{sp_cancelled},
            .pedido = asked.xml,
        }}
    };
}

}  // namespace

SpAnswer sp_error(std::string codigo)
{
    return {.is_success = false, .avisos = {{std::move(codigo)}}};
}

SpDecision decide_sp(const Asked& asked, const Book& book, const Moment& moment)
{
    if (asked.xml.empty()) return refuse("1102");
    if (asked.xml.size() > message_bytes_max) return refuse("1101");
    if (asked.versao != "1" && asked.versao != "2") return refuse("1002");
    if (asked.call == Call::emitir) return issue(asked, book, moment);
    if (asked.call == Call::consultar) return find(asked, book);
    return cancel(asked, book, moment);
}

}  // namespace umavez::fiscal::simulator
