#include "modules/fiscal/sao_paulo/chave_nfe.hpp"

#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/sao_paulo/elements.hpp"

#include <fmt/format.h>

namespace umavez::fiscal::sao_paulo {
namespace {

constexpr std::size_t width = 12;  // of the registration, and of the number
constexpr std::size_t codigo_width = 8;
constexpr CharSet codigo_set{[](unsigned char c) { return is_visible(c) && c != '_'; }};

}  // namespace

Parsed<ChaveNfe> ChaveNfe::make(
    std::string_view im, std::string_view numero, std::string_view codigo
)
{
    if (im.empty() || im.size() > width || numero.empty() || numero.size() > width) {
        return std::unexpected{IdFault::length};
    }
    if (!codigo.empty() && codigo.size() != codigo_width) return std::unexpected{IdFault::length};
    if (!digits.has_all(im) || !digits.has_all(numero) || !codigo_set.has_all(codigo)) {
        return std::unexpected{IdFault::characters};
    }
    const std::size_t first = im.find_first_not_of('0');
    if (first == std::string_view::npos) return std::unexpected{IdFault::all_equal};
    ChaveNfe made;
    made.im_ = im.substr(first);
    made.numero_ = number_of(numero);
    made.codigo_ = codigo;
    if (made.numero_ == 0) return std::unexpected{IdFault::number_zero};
    return made;
}

Parsed<ChaveNfe> ChaveNfe::parse(std::string_view text)
{
    constexpr std::size_t short_size = 2 * width + 1;
    const bool has_codigo = text.size() > short_size;
    const std::size_t size = has_codigo ? short_size + 1 + codigo_width : short_size;
    if (text.size() != size) return std::unexpected{IdFault::length};
    if (text[width] != '_' || (has_codigo && text[short_size] != '_')) {
        return std::unexpected{IdFault::characters};
    }
    return make(
        text.substr(0, width),
        text.substr(width + 1, width),
        has_codigo ? text.substr(short_size + 1) : std::string_view{}
    );
}

std::optional<ChaveNfe> ChaveNfe::read(const xml::Element& chave_nfe)
{
    const auto made = make(
        find_text(chave_nfe, "InscricaoPrestador"),
        find_text(chave_nfe, "NumeroNFe"),
        find_text(chave_nfe, "CodigoVerificacao")
    );
    return made ? std::optional{*made} : std::nullopt;
}

std::string ChaveNfe::text() const
{
    std::string text = fmt::format(
        "{}_{}", zero_padded(std::string_view{im_}, width), zero_padded(numero_, width)
    );
    if (!codigo_.empty()) text += "_" + codigo_;
    return text;
}

}  // namespace umavez::fiscal::sao_paulo
