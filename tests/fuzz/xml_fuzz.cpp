// Hostile XML for the reader, the canonical form, signatures, documents and answers of authorities.
//
// Checked: what is read has UTF-8 names and texts; its canonical form is read again, and its canonical form
// is itself; and a refusal is a sentence.

#include "base/utf8.hpp"
#include "modules/fiscal/nacional/dps.hpp"
#include "modules/fiscal/sao_paulo/rps.hpp"
#include "modules/fiscal/sefaz/answers.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"
#include "xml/canonical.hpp"
#include "xml/document.hpp"
#include "xml/signature.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace umavez;
using namespace umavez::xml;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

std::size_t check_element(const Document& document, const Element& element, std::size_t depth)
{
    require(depth <= ReadLimits{}.depth_max, "depth is bounded");
    require(is_utf8(element.name()) && is_utf8(element.text()), "texts are UTF-8");
    if (depth <= 3 && element.attribute("Id")) {
        static_cast<void>(check_signature(document, element));
    }
    std::size_t count = 1;
    for (const Element& child : element.children()) {
        count += check_element(document, child, depth + 1);
    }
    return count;
}

void check_canonical(const Document& document, Canonical kind)
{
    const std::string text = to_canonical(document.root(), kind);
    const auto again = Document::parse(text, {.bytes_max = std::string::npos / 2});
    require(again.has_value(), "a canonical form can be read");
    require(to_canonical(again->root(), kind) == text, "a canonical form is its own");
}

// Nobody is told that a document is authorised without its key and its protocol.
void check_answers(std::string_view text)
{
    using namespace fiscal::sefaz;
    constexpr std::string_view chave = "35260358716523000119550010000000301267301610";
    const fiscal::HttpAnswer answer{.status = 200, .body = text};
    const Sent sent{.chave = chave, .nfe = "<NFe/>", .dig_val = "x"};
    for (const fiscal::Said& said :
         {read_emission(answer, sent, Instant{}),
          read_receipt(answer, "351000012345678", sent, Instant{}).said,
          read_situacao(answer, sent).said}) {
        if (said.word != fiscal::Word::authorised) continue;
        require(
            said.chave == chave && !said.protocolo.empty(), "authorised has a key and a protocol"
        );
    }
    static_cast<void>(read_event(answer, {.chave = chave, .tp_evento = "110111", .evento = "<e/>"})
    );
    static_cast<void>(read_voiding(answer, "<i><infInut/></i>"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto document = Document::parse(text);
    if (!document) {
        require(is_utf8(document.error().detail), "a refusal is a sentence");
        return 0;
    }
    check_element(*document, document->root(), 1);
    check_canonical(*document, Canonical::inclusive_with_comments);
    check_canonical(*document, Canonical::exclusive);
    const auto dps = fiscal::nacional::read_dps(text);
    require(dps.has_value() || is_utf8(dps.error().detail), "a refusal is a sentence");
    const auto nfe = fiscal::sefaz::read_nfe(text);
    require(nfe.has_value() || is_utf8(nfe.error().detail), "a refusal is a sentence");
    const auto rps = fiscal::sao_paulo::read_rps(text, fiscal::Ambiente::homologacao);
    require(rps.has_value() || is_utf8(rps.error().detail), "a refusal is a sentence");
    check_answers(text);
    return 0;
}
