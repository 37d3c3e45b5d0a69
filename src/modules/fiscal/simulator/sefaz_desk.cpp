#include "modules/fiscal/simulator/sefaz_desk.hpp"

#include "base/digest.hpp"
#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/packing.hpp"
#include "modules/fiscal/simulator/sefaz_shapes.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal::simulator {
namespace {

// What is said instead, before anybody looked at the request.
std::optional<SefazAnswer> instead(Fault fault, const Asked& asked, Instant now)
{
    const auto refused = [&](std::string_view cstat) {
        return document_answer(asked, {std::string{cstat}}, now);
    };
    const bool is_nfce = asked.chave.substr(0, 22).ends_with("65");
    const bool is_emission = asked.call == Call::emitir;
    const bool is_cancellation = asked.call == Call::cancelar;
    if (fault == Fault::throttle) return envelope_answer(asked, "656");
    if (fault == Fault::maintenance) return envelope_answer(asked, "108");
    if (fault == Fault::no_forecast) return envelope_answer(asked, "109");
    if (fault == Fault::refuse)
        return refused(is_emission ? "781" : is_cancellation ? "501" : "201");
    if (fault != Fault::too_old) return std::nullopt;
    if (is_emission) return refused(is_nfce ? "704" : "228");
    return refused(is_cancellation ? "501" : "526");
}

std::string recibo_of(const Asked& asked, const Moment& moment)
{
    return fmt::format("{}{:013}", asked.chave.substr(0, 2), moment.turn);
}

// The same note under another cNF, as if another system of the issuer had sent it.
Authorised other_note(Authorised note)
{
    std::string other = note.chave;
    other[35] = other[35] == '9' ? '0' : static_cast<char>(other[35] + 1);
    other.back() = check_digit(std::string_view{other}.substr(0, 43));
    for (std::size_t at = note.xml.find(note.chave); at != std::string::npos;
         at = note.xml.find(note.chave)) {
        note.xml.replace(at, note.chave.size(), other);
    }
    note.chave = other;
    note.sha256 = to_hex(sha256(note.xml));
    note.digest = encode_base64(note.sha256.substr(0, 20));  // of this length, and another one
    return note;
}

// How an authorised note is told.
void distort(SefazDecision& decision, const Asked& asked, const Moment& moment, Fault fault)
{
    SefazAnswer& answer = decision.answer;
    auto& authorised = std::get<Authorised>(*decision.event);
    if (fault == Fault::duplicate) answer = document_answer(asked, {"204"}, moment.now);
    if (fault == Fault::inner_103) answer = document_answer(asked, {"103"}, moment.now);
    if (fault == Fault::no_protocol) answer.protocolo.reset();
    if (fault == Fault::late) {
        authorised.cstat = "150";
        answer.protocolo = protocolo_of(authorised);
    }
    if (fault == Fault::other_key) {
        authorised = other_note(std::move(authorised));
        const std::string detail = fmt::format("[chNFe:{}]", authorised.chave);
        answer = document_answer(asked, {"539", detail}, moment.now);
    }
    if (fault == Fault::receipt || fault == Fault::receipt_lost) {
        answer = envelope_answer(asked, "103");
        answer.recibo = recibo_of(asked, moment);
    }
    if (fault == Fault::receipt) {
        decision.event = Received{
            .at = moment.now,
            .recibo = answer.recibo,
            .documento = asked.documento,
            .chave = asked.chave,
            .xml = asked.xml,
        };
    }
}

// How a registered event is told.
void distort_event(SefazDecision& decision, const Asked& asked, Instant now, Fault fault)
{
    if (fault == Fault::duplicate) decision.answer = document_answer(asked, {"580"}, now);
    if (fault == Fault::event_duplicate) decision.answer = document_answer(asked, {"573"}, now);
    if (fault == Fault::late) {
        std::get<EventRegistered>(*decision.event).cstat = "155";
        decision.answer.evento->motivo = {"155"};
    }
}

// Some states do, where the note is the same.
void add_protocol_to_204(SefazAnswer& answer, const Book& book)
{
    if (!answer.protocolo || answer.protocolo->motivo.cstat != "204") return;
    const Note* const note = book.find_by_chave(answer.protocolo->chave);
    if (note != nullptr && note->authorised.digest == answer.protocolo->digest)
        answer.protocolo->numero = note->authorised.protocolo;
}

}  // namespace

SefazDecision SefazDesk::decide(
    const Asked& asked, const Book& book, const Moment& moment, std::optional<Fault> fault
) const
{
    if (fault) {
        if (auto answer = instead(*fault, asked, moment.now)) return {*std::move(answer)};
    }
    SefazDecision decision = office_.decide(asked, book, moment);
    if (!fault || !decision.event) return decision;
    if (asked.call == Call::emitir) distort(decision, asked, moment, *fault);
    if (asked.call == Call::cancelar) distort_event(decision, asked, moment.now, *fault);
    if (asked.call == Call::inutilizar && *fault == Fault::duplicate)
        decision.answer.motivo = {"563"};
    return decision;
}

Judgement SefazDesk::judge(
    const Asked& asked, const Book& book, const Moment& moment, std::optional<Fault> fault
) const
{
    if (!asked.packing_error.empty()) return {soap_fault(asked.packing_error)};
    const Wording wording{
        .ambiente = office_.ambiente(),
        .now = moment.now,
        .shape = fault == Fault::odd_shapes ? Shape::odd : Shape::declared,
        .turn = moment.turn,
    };
    SefazDecision decision = decide(asked, book, moment, fault);
    if (wording.shape == Shape::odd) add_protocol_to_204(decision.answer, book);
    Judgement judgement{to_soap(decision.answer, asked.call, wording)};
    if (decision.event) judgement.events.push_back(*std::move(decision.event));
    return judgement;
}

EventRegistered SefazDesk::event_behind(
    std::string_view chave, std::string_view tipo, const Book& book, Instant now
) const
{
    return {
        .at = now,
        .chave = std::string{chave},
        .tipo = std::string{tipo.empty() ? "110111" : tipo},
        .protocolo = next_protocol(chave.substr(0, 2), book, now),
        .cstat = "135",
    };
}

}  // namespace umavez::fiscal::simulator
