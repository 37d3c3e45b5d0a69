#include "modules/fiscal/sefaz/answers.hpp"
#include "modules/fiscal/sefaz/embedding.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"
#include "xml/only.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace umavez::fiscal::sefaz {
namespace {

using xml::Element;

// A request and its registration, as they are kept together.
std::string join(
    std::string_view name,
    std::string_view versao,
    std::string_view request,
    const Element& registration
)
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><{0} xmlns=\"{1}\" versao=\"{2}\">{3}{4}</{0}>",
        name,
        nfe_namespace,
        versao,
        root_text(request),
        text_of(registration)
    );
}

Said judge_event(Said said, const Element& ret, const EventSent& sent)
{
    const auto inf = only_child(ret, "infEvento");
    if (!inf) return unknown(std::move(said), "its retEvento cannot be read");
    if (!agrees(*inf, "chNFe", sent.chave) || !agrees(*inf, "tpEvento", sent.tp_evento) ||
        !is_of(*inf, sent.ambiente)) {
        return unknown(std::move(said), "its retEvento speaks of another event");
    }
    said = judge(std::move(said), mensagem_of(*inf), Call::cancel);
    if (said.word != Word::cancelled) return said;
    const std::string protocolo = protocolo_of(*inf);
    if (protocolo.empty() || inf->find_text("chNFe") != sent.chave) {
        return unknown(std::move(said), "it is registered without a key or a protocol");
    }
    if (sent.tp_evento == evento_substituicao) said.word = Word::substituted;
    said.chave = sent.chave;
    said.protocolo = protocolo;
    said.xml = join("procEventoNFe", "1.00", sent.evento, ret);
    return said;
}

// Whether it tells the numbers of the request, as far as it tells any.
bool is_about(const Element& inf, const Element& asked)
{
    constexpr std::array names = {
        "tpAmb", "cUF", "ano", "CNPJ", "CPF", "mod", "serie", "nNFIni", "nNFFin"
    };
    return std::ranges::all_of(names, [&](const char* name) {
        const auto expected = asked.find_text(name);
        return !expected || agrees(inf, name, *expected);
    });
}

// 206 and 256: a number of the range is voided already. Of one number that is all of it.
bool is_voided_before(std::string_view code)
{
    return code == "206" || code == "256";
}

}  // namespace

Said read_event(const HttpAnswer& answer, const EventSent& sent)
{
    auto [said, opened] = open_answer(answer, "retEnvEvento");
    if (!opened) return std::move(said);
    const Element& ret = opened->message;
    if (!is_of(ret, sent.ambiente)) {
        return unknown(std::move(said), "the answer is of another environment");
    }
    if (const auto inner = ret.find("retEvento")) {
        if (!only_child(ret, "retEvento")) {
            return unknown(std::move(said), "the answer has several retEvento");
        }
        return judge_event(std::move(said), *inner, sent);
    }
    said = judge(std::move(said), mensagem_of(ret), Call::cancel);
    if (said.word == Word::cancelled) {
        return unknown(std::move(said), "it is registered without a retEvento");
    }
    return std::move(said);
}

Said read_voiding(const HttpAnswer& answer, std::string_view pedido)
{
    auto [said, opened] = open_answer(answer, "retInutNFe");
    if (!opened) return std::move(said);
    const auto request = xml::Document::parse(pedido);
    const auto asked = request ? request->root().find("infInut") : std::nullopt;
    if (!asked) return unknown(std::move(said), "the request that was kept cannot be read");
    const auto inf = only_child(opened->message, "infInut");
    if (!inf) return unknown(std::move(said), "its infInut cannot be read");
    if (!is_about(*inf, *asked)) {
        return unknown(std::move(said), "the answer speaks of other numbers");
    }
    const Mensagem mensagem = mensagem_of(*inf);
    said = judge(std::move(said), mensagem, Call::void_number);
    if (is_voided_before(mensagem.codigo)) {
        const auto first = asked->find_text("nNFIni");
        const bool is_one = first && first == asked->find_text("nNFFin");
        said.word = is_one ? Word::voided : Word::exists;
        return std::move(said);
    }
    if (said.word != Word::voided) return std::move(said);
    said.protocolo = protocolo_of(*inf);
    // Of the first request, if it was not this one (563): not every authority repeats it.
    if (said.protocolo.empty() && mensagem.codigo == "102") {
        return unknown(std::move(said), "it is voided without a protocol");
    }
    said.xml = join("ProcInutNFe", "4.00", pedido, opened->message);
    return std::move(said);
}

ServiceStatus read_status(const HttpAnswer& answer, Ambiente ambiente)
{
    auto [said, opened] = open_answer(answer, "retConsStatServ");
    if (!opened) return {.said = std::move(said)};
    if (!is_of(opened->message, ambiente)) {
        return {.said = unknown(std::move(said), "the answer is of another environment")};
    }
    const Mensagem mensagem = mensagem_of(opened->message);
    return {
        .is_running = mensagem.codigo == "107",
        .said = judge(std::move(said), mensagem, Call::other),
    };
}

}  // namespace umavez::fiscal::sefaz
