#include "modules/fiscal/sao_paulo/retorno.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/authority/sao_paulo_codes.hpp"
#include "modules/fiscal/sao_paulo/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez::fiscal::sao_paulo {
namespace {

using xml::Element;

Call call_of(Method method) noexcept
{
    switch (method) {
        case Method::envio_rps: return Call::emit;
        case Method::consulta_nfe: return Call::consult;
        case Method::cancelamento_nfe: return Call::cancel;
    }
    return Call::other;
}

bool is_envelope(std::string_view body)
{
    const auto document = xml::Document::parse(body, {.bytes_max = soap_bytes_max});
    return document && document->root().name() == "Envelope";
}

// An answer that is none of the service itself.
Said read_door(const HttpAnswer& answer, Method method)
{
    Said said{.wait = answer.retry_after, .http_status = answer.status};
    said.detail = fmt::format(
        "HTTP {}: {}", answer.status, answer.body.empty() ? "no body" : shown(answer.body)
    );
    const CodeMeaning meaning = sao_paulo_http_meaning(answer.status, call_of(method));
    if (meaning.word == Word::throttled) said.word = Word::throttled;
    const bool is_door = answer.status == 403 || answer.status == 426;
    if (!is_door || is_envelope(answer.body)) return said;
    said.detail = fmt::format("HTTP {}: {}", answer.status, meaning.meaning);
    said.is_certificate_refused = answer.status == 403;
    if (method != Method::consulta_nfe) said.word = Word::later;
    return said;
}

std::optional<bool> read_sucesso(const Element& root)
{
    const auto head = find_one(root, "Cabecalho");
    const std::string text = head ? find_text(*head, "Sucesso") : "";
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return std::nullopt;
}

void read_eventos(const Element& root, Retorno& retorno)
{
    for (const Element& child : root.children()) {
        const bool is_erro = child.name() == "Erro";
        if (!is_erro && child.name() != "Alerta") continue;
        Mensagem mensagem =
            make_mensagem(find_text(child, "Codigo"), find_text(child, "Descricao"));
        retorno.eventos.push_back({
            .is_erro = is_erro,
            .codigo = mensagem.codigo,
            .chave_rps = find_one(child, "ChaveRPS"),
            .chave_nfe = find_one(child, "ChaveNFe"),
        });
        auto& mensagens = retorno.said.mensagens;
        if (mensagens.size() < mensagens_max) mensagens.push_back(std::move(mensagem));
    }
}

}  // namespace

bool Retorno::has_erro() const noexcept
{
    return std::ranges::any_of(eventos, &Evento::is_erro);
}

Retorno open_retorno(const HttpAnswer& answer, Method method)
{
    if (answer.status != 200) return {.said = read_door(answer, method)};
    Retorno retorno{.said = {.wait = answer.retry_after, .http_status = answer.status}};
    auto document = read_envelope(method, answer.body);
    if (!document) {
        retorno.said.detail = "the answer cannot be read: " + document.error().detail;
        return retorno;
    }
    retorno.document = *std::move(document);
    const Element root = retorno.document->root();
    retorno.sucesso = read_sucesso(root);
    read_eventos(root, retorno);
    if (!retorno.said.mensagens.empty()) {
        const Mensagem& first = retorno.said.mensagens.front();
        retorno.said.detail = fmt::format("{}: {}", shown(first.codigo), shown(first.descricao));
    }
    return retorno;
}

std::optional<Word> word_of(const std::vector<Evento>& eventos, Call call)
{
    std::optional<Word> all;
    bool is_one = true;
    bool has_exists = false;
    for (const Evento& evento : eventos) {
        const CodeMeaning meaning = sao_paulo_meaning(evento.codigo, call);
        if (meaning.meaning.empty() && !evento.is_erro) continue;
        is_one = is_one && (!all || *all == meaning.word);
        all = meaning.word;
        has_exists = has_exists || meaning.word == Word::exists;
    }
    if (!all || is_one) return all;
    return has_exists ? Word::exists : Word::unknown;
}

}  // namespace umavez::fiscal::sao_paulo
