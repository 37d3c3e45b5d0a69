#include "modules/fiscal/sefaz/pista.hpp"
#include "modules/fiscal/sefaz/protocol.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace umavez::fiscal::sefaz {
namespace {

using xml::Element;

std::vector<Element> find_all(const Element& parent, std::string_view name)
{
    auto found = parent.children();
    std::erase_if(found, [&](const Element& child) {
        return child.name() != name || child.space() != parent.space();
    });
    return found;
}

// How long the authority takes on average (tMed), within reason.
Duration receipt_wait(const Element& ret, Duration pause)
{
    const std::string text = ret.find_text("infRec/tMed").value_or("");
    int seconds = 0;
    std::from_chars(text.data(), text.data() + text.size(), seconds);
    return std::clamp<Duration>(std::chrono::seconds{seconds}, pause, 20 * pause);
}

// The answer itself comes later.
Said await_receipt(Said said, const Element& ret, const Sent& sent, Instant now)
{
    const std::string recibo = ret.find_text("infRec/nRec").value_or("");
    if (!is_recibo(recibo)) return said;  // asked about by its key
    const Duration wait = receipt_wait(ret, sent.receipt_pause);
    said.wait = wait;
    said.pista = to_text(Pista{.recibo = recibo, .recibo_from = now + wait});
    return said;
}

bool is_in_process(const Said& said)
{
    if (said.word != Word::exists || said.mensagens.empty()) return false;
    const std::string& code = said.mensagens.front().codigo;
    return code == "103" || code == "105";
}

Said keep_receipt(Said said, std::string_view recibo, Duration pause, Instant now)
{
    const Duration wait = std::max(said.wait.value_or(pause), pause);
    said.wait = wait;
    said.pista = to_text(Pista{.recibo = std::string{recibo}, .recibo_from = now + wait});
    return said;
}

}  // namespace

Said read_emission(const HttpAnswer& answer, const Sent& sent, Instant now)
{
    auto [said, opened] = open_answer(answer, "retEnviNFe");
    if (!opened) return std::move(said);
    const Element& ret = opened->message;
    if (!is_of(ret, sent.ambiente)) {
        return unknown(std::move(said), "the answer is of another environment");
    }
    const auto prots = find_all(ret, "protNFe");
    if (prots.size() > 1) return unknown(std::move(said), "the answer has several protNFe");
    const Mensagem outer = mensagem_of(ret);
    if (!prots.empty()) {
        said = judge_protocol(std::move(said), prots.front(), sent);
    } else {
        said = judge(std::move(said), outer, Call::emit);
        if (said.word == Word::authorised) {
            return unknown(std::move(said), "it is authorised without a protNFe");
        }
        if (said.word == Word::exists) {
            said.pista = to_text(Pista{.outra_chave = find_other_key(outer.descricao, sent.chave)});
        }
    }
    return is_in_process(said) ? await_receipt(std::move(said), ret, sent, now) : said;
}

Recibo read_receipt(
    const HttpAnswer& answer, std::string_view recibo, const Sent& sent, Instant now
)
{
    const auto keep = [&](Said said, bool is_usable) {
        return Recibo{keep_receipt(std::move(said), recibo, sent.receipt_pause, now), is_usable};
    };
    auto [said, opened] = open_answer(answer, "retConsReciNFe");
    if (!opened) {
        const bool is_throttled = said.word == Word::throttled;
        return keep(std::move(said), is_throttled);
    }
    const Element& ret = opened->message;
    if (!is_of(ret, sent.ambiente) || !agrees(ret, "nRec", recibo)) {
        return keep(unknown(std::move(said), "the answer speaks of another receipt"), false);
    }
    auto prots = find_all(ret, "protNFe");
    std::erase_if(prots, [&](const Element& prot) {
        return prot.find_text("infProt/chNFe") != sent.chave;
    });
    const Mensagem outer = mensagem_of(ret);
    if (prots.size() == 1) {
        said = judge_protocol(std::move(said), prots.front(), sent);
    } else {
        said = judge(std::move(said), outer, Call::receipt);
        if (said.word == Word::authorised) {
            return {unknown(std::move(said), "it is authorised without a protNFe")};
        }
        // Any other code is of the question (280, 215), and tells nothing about the receipt.
        const bool is_of_receipt = outer.codigo == "104" || outer.codigo == "106";
        if (said.word == Word::unknown && !is_of_receipt) return keep(std::move(said), false);
    }
    if (is_in_process(said)) {
        // Nothing is wrong, and nothing decided: there is nothing to tell anybody. How long it takes is no
        // wish of the authority's, so the pause is ours.
        said.mensagens.clear();
        said.wait = std::nullopt;
        return keep(unknown(std::move(said), "the batch is still in process"), true);
    }
    const bool is_put_off = said.word == Word::later || said.word == Word::throttled;
    if (is_put_off) return keep(std::move(said), true);
    return {std::move(said)};
}

}  // namespace umavez::fiscal::sefaz
