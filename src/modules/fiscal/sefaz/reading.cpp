#include "modules/fiscal/sefaz/reading.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "xml/canonical.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal::sefaz {
namespace {

constexpr std::size_t protocolo_length_max = 20;  // 15 as the manual has it, 17 in some states

// 280 to 285: who we are is not believed, expired, revoked, not of the ICP-Brasil.
bool is_about_our_certificate(std::string_view code) noexcept
{
    return code.size() == 3 && code.starts_with("28") && code[2] >= '0' && code[2] <= '5';
}

}  // namespace

Opened open_answer(const HttpAnswer& answer, std::string_view message_name)
{
    Opened opened{
        .said = {.wait = answer.retry_after, .http_status = answer.status}, .answer = std::nullopt
    };
    if (answer.status == 429) {
        opened.said.word = Word::throttled;
        opened.said.detail = "HTTP 429";
        return opened;
    }
    if (answer.status != 200) {
        opened.said.detail = fmt::format(
            "HTTP {}: {}", answer.status, answer.body.empty() ? "no body" : shown(answer.body)
        );
        return opened;
    }
    auto read = read_envelope(answer.body, message_name);
    if (!read) {
        opened.said.detail = "the answer cannot be read: " + read.error().detail;
        return opened;
    }
    opened.answer = *std::move(read);
    return opened;
}

Mensagem mensagem_of(const xml::Element& element)
{
    return make_mensagem(
        element.find_text("cStat").value_or(""), element.find_text("xMotivo").value_or("")
    );
}

Said judge(Said said, const Mensagem& mensagem, Call call, HasProtocol has_protocol)
{
    // A batch that is still in process is so whichever call is told.
    const bool is_in_process = call == Call::emit && mensagem.codigo == "105";
    const CodeMeaning meaning =
        cstat_meaning(mensagem.codigo, is_in_process ? Call::receipt : call, has_protocol);
    said.word = meaning.word;
    if (!said.wait) said.wait = meaning.wait;
    said.detail = fmt::format("{}: {}", shown(mensagem.codigo), shown(mensagem.descricao));
    said.is_certificate_refused = is_about_our_certificate(mensagem.codigo);
    // What the table knows to tell nothing (104, 128, 999) is no refusal that nobody understood.
    const bool tells_nothing = said.word == Word::unknown && !meaning.meaning.empty();
    if (said.word != Word::absent && !tells_nothing && !mensagem.codigo.empty()) {
        said.mensagens = {mensagem};
    }
    return said;
}

bool is_of(const xml::Element& element, Ambiente ambiente)
{
    return agrees(element, "tpAmb", ambiente == Ambiente::producao ? "1" : "2");
}

bool agrees(const xml::Element& element, std::string_view name, std::string_view expected)
{
    const auto told = element.find_text(name);
    return !told || *told == expected;
}

std::string protocolo_of(const xml::Element& element)
{
    auto text = element.find_text("nProt");
    if (!text || text->size() > protocolo_length_max || !digits.has_all(*text)) return {};
    return *std::move(text);
}

std::string text_of(const xml::Element& element)
{
    return to_canonical(element, xml::Canonical::exclusive);
}

}  // namespace umavez::fiscal::sefaz
