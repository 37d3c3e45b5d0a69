#include "modules/fiscal/sefaz/protocol.hpp"
#include "xml/only.hpp"

#include <algorithm>
#include <utility>

namespace umavez::fiscal::sefaz {
namespace {

using xml::Element;

struct Event {
    Word word =
        Word::unknown;  // cancelled, substituted; or unknown: registered, but not linked (136)
    std::string protocolo;
    std::string xml;
};

// A cancellation of this document, if the element is one that was registered.
std::optional<Event> read_cancelling(const Element& proc, std::string_view chave)
{
    const auto asked = proc.find("evento/infEvento");
    const auto answered = proc.find("retEvento/infEvento");
    if (!asked || !answered || asked->find_text("chNFe") != chave) return std::nullopt;
    const std::string tp_evento = asked->find_text("tpEvento").value_or("");
    if (tp_evento != evento_cancelamento && tp_evento != evento_substituicao) return std::nullopt;
    const Word word = cstat_meaning(mensagem_of(*answered).codigo, Call::cancel).word;
    Event event{.protocolo = protocolo_of(*answered), .xml = text_of(proc)};
    if (word == Word::exists) return event;
    if (word != Word::cancelled) return std::nullopt;
    event.word = tp_evento == evento_substituicao ? Word::substituted : Word::cancelled;
    return event;
}

// The event that ended it, or else one that may.
std::optional<Event> find_cancelling(const Element& ret, std::string_view chave)
{
    std::optional<Event> found;
    for (const Element& child : ret.children()) {
        if (child.name() != "procEventoNFe" || child.space() != ret.space()) continue;
        auto event = read_cancelling(child, chave);
        if (event && (!found || found->word == Word::unknown)) found = std::move(event);
    }
    return found;
}

// The document's own protocol, which is told beside whatever became of it.
std::optional<Element> find_protocol(const Element& ret, std::string_view chave)
{
    const auto prot = only_child(ret, "protNFe");
    if (!prot || prot->find_text("infProt/chNFe") != chave) return std::nullopt;
    return *prot;
}

Said end_by(Said said, Event event, const Element& ret, const Sent& sent)
{
    said.word = event.word;
    said.chave = sent.chave;
    said.protocolo = std::move(event.protocolo);
    said.xml = std::move(event.xml);
    if (const auto prot = find_protocol(ret, sent.chave)) said.is_ours = is_ours(*prot, sent);
    return said;
}

// 101 without an event: cancelled in the way of before 2013.
Said cancelled_of_old(Said said, const Element& ret, const Sent& sent)
{
    Event event{.word = Word::cancelled};
    if (const auto cancelled = ret.find("retCancNFe")) {
        if (const auto inf = cancelled->find("infCanc")) event.protocolo = protocolo_of(*inf);
        event.xml = text_of(*cancelled);
    }
    return end_by(std::move(said), std::move(event), ret, sent);
}

Said authorised_by(Said said, const Element& ret, const Sent& sent)
{
    const auto prot = find_protocol(ret, sent.chave);
    if (!prot) return unknown(std::move(said), "it is authorised without a protNFe");
    Said judged = judge_protocol(said, *prot, sent);
    if (judged.word == Word::authorised || judged.word == Word::unknown) return judged;
    return unknown(std::move(said), "its code and that of its protNFe contradict each other");
}

// A denial is told by 110, or by the code that the denial itself had.
Word word_of(const Mensagem& mensagem, const Element& ret, const Sent& sent)
{
    const Word word = cstat_meaning(mensagem.codigo, Call::consult).word;
    if (word != Word::unknown) return word;
    const auto prot = find_protocol(ret, sent.chave);
    const auto inf = prot ? prot->find("infProt") : std::nullopt;
    const bool has_protocol = inf && !protocolo_of(*inf).empty();
    const CodeMeaning as_emission = cstat_meaning(
        mensagem.codigo, Call::emit, has_protocol ? HasProtocol::yes : HasProtocol::no
    );
    const bool is_voided = mensagem.codigo == "206";  // that answers emissions alone
    return as_emission.word == Word::denied && !is_voided ? Word::denied : word;
}

}  // namespace

Situacao read_situacao(const HttpAnswer& answer, const Sent& sent)
{
    auto [said, opened] = open_answer(answer, "retConsSitNFe");
    if (!opened) return {std::move(said)};
    const Element& ret = opened->message;
    if (!is_of(ret, sent.ambiente) || !agrees(ret, "chNFe", sent.chave)) {
        return {unknown(std::move(said), "the answer speaks of another document")};
    }
    const Mensagem mensagem = mensagem_of(ret);
    said = judge(std::move(said), mensagem, Call::consult);
    said.word = word_of(mensagem, ret, sent);
    auto event = find_cancelling(ret, sent.chave);
    const bool is_there = said.word == Word::authorised || said.word == Word::cancelled;
    if (is_there && event && event->word != Word::unknown) {
        return {end_by(std::move(said), *std::move(event), ret, sent)};
    }
    switch (said.word) {
        case Word::authorised:
            if (event) {
                said.mensagens.clear();
                return {unknown(std::move(said), "a cancellation is registered, but not linked")};
            }
            return {authorised_by(std::move(said), ret, sent)};
        case Word::cancelled: return {cancelled_of_old(std::move(said), ret, sent)};
        case Word::absent:
            if (event || ret.find("protNFe")) {
                return {unknown(std::move(said), "it is absent, but there is a protocol of it")};
            }
            return {std::move(said)};
        case Word::exists: return {std::move(said), find_other_key(mensagem.descricao, sent.chave)};
        case Word::denied:
            if (const auto prot = find_protocol(ret, sent.chave)) {
                if (const auto inf = prot->find("infProt")) said.protocolo = protocolo_of(*inf);
            }
            return {std::move(said)};
        case Word::substituted:
        case Word::under_analysis:
        case Word::voided:
        case Word::refused:
        case Word::later:
        case Word::throttled:
        case Word::unreached:
        case Word::unknown: break;
    }
    return {std::move(said)};
}

}  // namespace umavez::fiscal::sefaz
