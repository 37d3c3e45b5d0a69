// In the order of the rules: schema, environment, key, signature, what is there already.

#include "modules/fiscal/simulator/sefaz_office.hpp"

#include "base/digest.hpp"
#include "base/utf8.hpp"
#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/xml_scan.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::string_view cancelamento = "110111";
constexpr std::string_view substituicao = "110112";

std::uint64_t number_of(std::string_view digits)
{
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

bool is_reason(std::string_view text)
{
    constexpr std::size_t length_min = 15;
    constexpr std::size_t length_max = 255;
    std::size_t count = 0;
    for (; !text.empty(); ++count) take_character(text);
    return count >= length_min && count <= length_max;
}

std::string with_key(std::string_view chave)
{
    return fmt::format("[chNFe:{}]", chave);
}

std::string uf_of(std::string_view chave)
{
    return std::string{chave.substr(0, 2)};
}

// What is there under the number of this key refuses it.
std::optional<Motivo> find_duplicate(std::string_view chave, const Book& book)
{
    const std::string documento = natural_key(chave);
    if (const Note* const note = book.find_by_documento(documento)) {
        const std::string& stored = note->authorised.chave;
        if (stored != chave) return Motivo{"539", with_key(stored)};
        if (note->is_cancelled()) return Motivo{"218"};
        return Motivo{"204"};
    }
    const std::string number{chave.substr(25, 9)};
    const std::string range =
        fmt::format("ID{}00{}{}{}", chave.substr(0, 2), chave.substr(6, 19), number, number);
    if (book.find_voided(range) != nullptr) return Motivo{"206"};
    return std::nullopt;
}

// Of the key that was asked for, where another one is stored under its number.
Motivo difference(std::string_view asked, std::string_view stored)
{
    const auto differs = [&](std::size_t at, std::size_t length) {
        return asked.substr(at, length) != stored.substr(at, length);
    };
    if (differs(35, 8)) return {"562", with_key(stored)};
    if (differs(2, 4)) return {"561", with_key(stored)};
    return {"613", with_key(stored)};
}

std::optional<Motivo> find_substitution_error(const Evento& evento, const Book& book)
{
    if (evento.chave.substr(34, 1) != "1") return Motivo{"920"};
    if (!is_chave_nfe(evento.substituta) || !has_right_check_digit(evento.substituta))
        return Motivo{"910"};
    const Note* const substitute = book.find_by_chave(evento.substituta);
    if (substitute == nullptr) return Motivo{"912"};
    if (substitute->is_cancelled()) return Motivo{"913"};
    return std::nullopt;
}

// What the note says against the event.
std::optional<Motivo> find_event_refusal(const Evento& evento, const Book& book)
{
    const Note* const note = book.find_by_chave(evento.chave);
    if (note == nullptr) return Motivo{"494"};
    if (const auto same = note->events.find(evento.tipo); same != note->events.end()) {
        // What came through this door is this very event; what was done elsewhere is only in the way.
        return Motivo{same->second.pedido.empty() ? "580" : "573"};
    }
    if (note->is_cancelled()) return Motivo{"580"};
    if (evento.protocolo != note->authorised.protocolo) return Motivo{"222"};
    if (evento.tipo == substituicao) return find_substitution_error(evento, book);
    return std::nullopt;
}

SefazDecision tell_status(const Asked& asked)
{
    return {envelope_answer(asked, "107")};
}

}  // namespace

std::string next_protocol(std::string_view uf, const Book& book, Instant now)
{
    return fmt::format("1{}{}{:010}", uf, to_brasilia(now).substr(2, 2), book.protocols() + 1);
}

Protocolo protocolo_of(const Authorised& authorised)
{
    return {
        .motivo = {authorised.cstat},
        .chave = authorised.chave,
        .at = authorised.at,
        .numero = authorised.protocolo,
        .digest = authorised.digest,
    };
}

SefazAnswer envelope_answer(const Asked& asked, std::string cstat)
{
    SefazAnswer answer{.motivo = {std::move(cstat)}, .chave = asked.chave, .recibo = asked.recibo};
    answer.uf = asked.chave.substr(0, 2);
    if (asked.call == Call::inutilizar) answer.range = asked.documento;
    const auto scan = XmlScan::parse(asked.xml);
    if (scan && asked.call == Call::cancelar) answer.lote = scan->text("envEvento/idLote");
    if (scan && asked.call == Call::status) answer.uf = scan->text("consStatServ/cUF");
    return answer;
}

SefazAnswer document_answer(const Asked& asked, Motivo motivo, Instant at)
{
    SefazAnswer answer = envelope_answer(asked, "104");
    if (asked.call == Call::emitir) {
        const auto nfe = read_nfe(asked.xml);
        answer.protocolo = {
            .motivo = std::move(motivo),
            .chave = asked.chave,
            .at = at,
            .digest = nfe ? nfe->digest : "",
        };
    } else if (asked.call == Call::cancelar) {
        answer.motivo = {"128"};
        answer.evento = {
            .motivo = std::move(motivo), .chave = asked.chave, .tipo = asked.tipo, .at = at
        };
    } else {
        answer.motivo = std::move(motivo);
    }
    return answer;
}

SefazDecision SefazOffice::decide(const Asked& asked, const Book& book, const Moment& moment) const
{
    switch (asked.call) {
        case Call::emitir: return authorise(asked, book, moment);
        case Call::recibo: return find_batch(asked, book, moment);
        case Call::consultar: return find_note(asked, book, moment);
        case Call::cancelar: return register_event(asked, book, moment);
        case Call::inutilizar: return void_range(asked, book, moment);
        case Call::status: return tell_status(asked);
        case Call::consultar_nota:
        case Call::consultar_evento: break;  // of Sefin Nacional
    }
    return {envelope_answer(asked, "999")};
}

std::optional<Motivo> SefazOffice::find_refusal(
    const Nfe& nfe, std::string_view envi_nfe, const Book& book
) const
{
    if (nfe.ambiente != ambiente_) return Motivo{"252"};
    if (!has_right_check_digit(nfe.chave_of_fields)) return Motivo{"253"};
    if (nfe.id != "NFe" + nfe.chave_of_fields) return Motivo{"502"};
    // One without a signature passes, so that it can be written by hand.
    if (!is_signature_good(envi_nfe, "NFe/infNFe")) return Motivo{"297"};
    return find_duplicate(nfe.chave_of_fields, book);
}

SefazDecision SefazOffice::authorise(const Asked& asked, const Book& book, const Moment& moment)
    const
{
    const auto nfe = read_nfe(asked.xml);
    if (!nfe) return {envelope_answer(asked, "225")};
    if (nfe->sinc != "1") return {envelope_answer(asked, "452")};
    if (auto refused = find_refusal(*nfe, asked.xml, book))
        return {document_answer(asked, *std::move(refused), moment.now)};
    const Batch* const batch = book.find_batch(asked.documento);
    if (batch != nullptr && batch->is_waiting())
        return {document_answer(asked, {"635"}, moment.now)};
    Authorised authorised{
        .at = moment.now,
        .documento = asked.documento,
        .chave = asked.chave,
        .numero = number_of(std::string_view{asked.chave}.substr(25, 9)),
        .inscricao = asked.chave.substr(6, 14),
        .sha256 = to_hex(sha256(asked.sent)),
        .xml = asked.sent,
        .protocolo = next_protocol(uf_of(asked.chave), book, moment.now),
        .cstat = "100",
        .digest = nfe->digest,
    };
    SefazAnswer answer = envelope_answer(asked, "104");
    answer.protocolo = protocolo_of(authorised);
    return {std::move(answer), std::move(authorised)};
}

// As if it had come now; the number may have been voided in the meantime.
SefazDecision SefazOffice::judge_batch(const Batch& batch, const Book& book, const Moment& moment)
    const
{
    const Received& received = batch.received;
    Asked asked{
        .service = Service::sefaz,
        .call = Call::emitir,
        .documento = received.documento,
        .chave = received.chave,
        .xml = received.xml,
        .sent = std::string{cut_element(received.xml, "NFe")},
    };
    const Note* const note = book.find_by_chave(received.chave);
    if (note == nullptr) return authorise(asked, book, moment);
    SefazAnswer answer = envelope_answer(asked, "104");
    answer.protocolo = protocolo_of(note->authorised);
    return {std::move(answer)};
}

SefazDecision SefazOffice::find_batch(const Asked& asked, const Book& book, const Moment& moment)
    const
{
    const auto scan = XmlScan::parse(asked.xml);
    if (!scan || asked.recibo.empty()) return {envelope_answer(asked, "225")};
    if (scan->text("consReciNFe/tpAmb") != ambiente_) return {envelope_answer(asked, "252")};
    const Batch* const batch = book.find_batch_by_recibo(asked.recibo);
    if (batch == nullptr) return {envelope_answer(asked, "106")};
    if (batch->is_waiting()) return {envelope_answer(asked, "105")};
    SefazDecision decision = judge_batch(*batch, book, moment);
    decision.answer.recibo = asked.recibo;
    return decision;
}

// By the natural key first: a query with any key of the number tells whether the number is used.
SefazDecision SefazOffice::find_note(const Asked& asked, const Book& book, const Moment& moment)
    const
{
    const auto scan = XmlScan::parse(asked.xml);
    if (!scan || asked.chave.empty() || scan->text("consSitNFe/xServ") != "CONSULTAR")
        return {envelope_answer(asked, "215")};
    if (scan->text("consSitNFe/tpAmb") != ambiente_) return {envelope_answer(asked, "252")};
    if (!has_right_check_digit(asked.chave)) return {envelope_answer(asked, "236")};
    const std::string modelo = asked.chave.substr(20, 2);
    if (modelo != "55" && modelo != "65") return {envelope_answer(asked, "618")};
    SefazDecision judged{};
    const Note* stored = book.find_by_documento(asked.documento);
    const Batch* const batch = book.find_batch(asked.documento);
    if (stored == nullptr && batch != nullptr && !batch->is_waiting())
        judged = judge_batch(*batch, book, moment);
    if (stored == nullptr && !judged.event) return {envelope_answer(asked, "217")};
    const Note note = stored != nullptr ? *stored : Note{std::get<Authorised>(*judged.event)};
    const Authorised& authorised = note.authorised;
    if (authorised.chave != asked.chave) {
        SefazAnswer answer = envelope_answer(asked, "");
        answer.motivo = difference(asked.chave, authorised.chave);
        return {std::move(answer), std::move(judged.event)};
    }
    SefazAnswer answer = envelope_answer(asked, authorised.cstat);
    answer.protocolo = protocolo_of(authorised);
    for (const auto& [tipo, event] : note.events) {
        answer.registered.push_back(event);
        if (note.is_cancelled()) answer.motivo = {event.cstat == "155" ? "151" : "101"};
    }
    return {std::move(answer), std::move(judged.event)};
}

SefazDecision SefazOffice::register_event(
    const Asked& asked, const Book& book, const Moment& moment
) const
{
    const auto evento = read_evento(asked.xml);
    if (!evento) return {envelope_answer(asked, "215")};
    const auto refused = [&](Motivo motivo) {
        return SefazDecision{document_answer(asked, std::move(motivo), moment.now)};
    };
    const bool is_nfce = evento->chave.substr(20, 2) == "65";
    const bool is_known = evento->tipo == cancelamento || (evento->tipo == substituicao && is_nfce);
    if (!is_known) return refused({"491"});
    if (!is_reason(evento->motivo)) return refused({"493"});
    if (evento->ambiente != ambiente_) return refused({"252"});
    if (!has_right_check_digit(evento->chave)) return refused({"236"});
    if (evento->id != evento->id_of_fields()) return refused({"572"});
    if (evento->sequencia != "1") return refused({"594"});
    const std::string issuer = evento->chave.substr(6, 14);
    if (issuer.substr(14 - evento->autor.size()) != evento->autor) return refused({"574"});
    if (!is_signature_good(asked.xml, "evento/infEvento")) return refused({"297"});
    if (auto against = find_event_refusal(*evento, book)) return refused(*std::move(against));
    EventRegistered registered{
        .at = moment.now,
        .chave = evento->chave,
        .tipo = evento->tipo,
        .pedido = asked.xml,
        .protocolo = next_protocol(uf_of(evento->chave), book, moment.now),
        .cstat = "135",
        .substituta = evento->substituta,
    };
    SefazAnswer answer = document_answer(asked, {registered.cstat}, moment.now);
    answer.evento->numero = registered.protocolo;
    return {std::move(answer), std::move(registered)};
}

SefazDecision SefazOffice::void_range(const Asked& asked, const Book& book, const Moment& moment)
    const
{
    constexpr std::uint64_t numbers_max = 10'000;
    const auto pedido = read_inutilizacao(asked.xml);
    if (!pedido || !is_reason(pedido->motivo) || pedido->id != pedido->id_of_fields())
        return {envelope_answer(asked, "215")};
    if (pedido->ambiente != ambiente_) return {envelope_answer(asked, "252")};
    const std::uint64_t first = number_of(pedido->primeiro);
    const std::uint64_t last = number_of(pedido->ultimo);
    if (first > last) return {envelope_answer(asked, "224")};
    if (last - first >= numbers_max) return {envelope_answer(asked, "201")};
    if (!is_signature_good(asked.xml, "infInut")) return {envelope_answer(asked, "297")};
    if (const Voided* const there = book.find_voided(pedido->id)) {
        const bool is_same = there->id == pedido->id;
        SefazAnswer answer = envelope_answer(asked, is_same ? "563" : "256");
        if (is_same) answer.range_protocolo = there->protocolo;
        return {std::move(answer)};
    }
    if (book.is_range_used(pedido->id)) return {envelope_answer(asked, "241")};
    Voided voided{
        .at = moment.now,
        .id = pedido->id,
        .primeiro = first,
        .ultimo = last,
        .protocolo = next_protocol(pedido->uf, book, moment.now),
        .pedido = asked.xml,
    };
    SefazAnswer answer = envelope_answer(asked, "102");
    answer.range_protocolo = voided.protocolo;
    return {std::move(answer), std::move(voided)};
}

}  // namespace umavez::fiscal::simulator
