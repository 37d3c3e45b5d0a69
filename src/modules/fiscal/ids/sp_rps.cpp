#include "modules/fiscal/ids/sp_rps.hpp"

#include "modules/fiscal/ids/modulo11.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {
namespace {

constexpr std::size_t im_width = 12;
constexpr std::size_t serie_width = 5;
constexpr std::size_t numero_width = 12;
constexpr std::size_t documento_width = 14;
constexpr std::size_t nif_length_max = 40;

constexpr CharSet serie_set{[](unsigned char c) { return is_visible(c) && !(c >= 'a' && c <= 'z'); }
};
constexpr CharSet visible_set{[](unsigned char c) { return is_visible(c); }};

// A CPF or CNPJ in its 14 positions; nothing for who has none here.
Parsed<std::string> print_documento(SpTaker kind, std::string_view documento)
{
    if (kind == SpTaker::none || kind == SpTaker::nif) return std::string(documento_width, '0');
    if (documento.size() != (kind == SpTaker::cpf ? 11 : documento_width)) {
        return std::unexpected{IdFault::length};
    }
    if (!digits_and_capitals.has_all(documento)) return std::unexpected{IdFault::characters};
    return zero_padded(documento, documento_width);
}

Parsed<std::string> print_intermediary(const SpIntermediary& intermediary)
{
    if (intermediary.kind != SpTaker::cpf && intermediary.kind != SpTaker::cnpj) {
        return std::unexpected{IdFault::wrong_kind};
    }
    const auto documento = print_documento(intermediary.kind, intermediary.documento);
    if (!documento) return std::unexpected{documento.error()};
    return fmt::format(
        "{}{}{}",
        static_cast<int>(intermediary.kind),
        *documento,
        intermediary.iss_retido ? 'S' : 'N'
    );
}

// Kind, series, number, date and amounts: what stands before the taker.
Parsed<std::string> print_service(SpLayout layout, const SpRps& rps)
{
    const std::size_t width = layout == SpLayout::one ? 8 : im_width;
    const std::string valor = zero_padded(rps.valor_cents, 15);
    const std::string deducoes = zero_padded(rps.deducoes_cents, 15);
    const std::string servico = zero_padded(rps.codigo_servico, 5);
    const int year = static_cast<int>(rps.data.year());
    if (rps.key.im().size() > width || valor.empty() || deducoes.empty() || servico.empty() ||
        !rps.data.ok() || year < 0 || year > 9999) {
        return std::unexpected{IdFault::out_of_range};
    }
    if (!digits_and_capitals.has(rps.tributacao) || !digits_and_capitals.has(rps.status)) {
        return std::unexpected{IdFault::characters};
    }
    return fmt::format(
        "{}{:<5}{}{:04}{:02}{:02}{}{}{}{}{}{}",
        zero_padded(std::string_view{rps.key.im()}, width),
        rps.key.serie(),
        zero_padded(rps.key.numero(), numero_width),
        year,
        static_cast<unsigned>(rps.data.month()),
        static_cast<unsigned>(rps.data.day()),
        rps.tributacao,
        rps.status,
        rps.iss_retido ? 'S' : 'N',
        valor,
        deducoes,
        servico
    );
}

}  // namespace

Parsed<SpRpsKey> SpRpsKey::make(std::string_view im, std::string_view serie, std::int64_t numero)
{
    if (im.empty() || im.size() > im_width || serie.size() > serie_width) {
        return std::unexpected{IdFault::length};
    }
    if (!digits.has_all(im) || !serie_set.has_all(serie))
        return std::unexpected{IdFault::characters};
    const std::size_t first = im.find_first_not_of('0');
    if (first == std::string_view::npos) return std::unexpected{IdFault::all_equal};
    if (numero == 0) return std::unexpected{IdFault::number_zero};
    if (zero_padded(numero, numero_width).empty()) return std::unexpected{IdFault::out_of_range};
    return SpRpsKey{std::string{im.substr(first)}, std::string{serie}, numero};
}

Parsed<SpRpsKey> SpRpsKey::parse(std::string_view text)
{
    if (text.size() < im_width + numero_width + 2) return std::unexpected{IdFault::length};
    const std::string_view numero = text.substr(text.size() - numero_width);
    if (text[im_width] != '_' || text[text.size() - numero_width - 1] != '_' ||
        !digits.has_all(numero)) {
        return std::unexpected{IdFault::characters};
    }
    const std::string_view serie =
        text.substr(im_width + 1, text.size() - im_width - numero_width - 2);
    return make(text.substr(0, im_width), serie, number_of(numero));
}

std::string SpRpsKey::text() const
{
    return fmt::format(
        "{}_{}_{}",
        zero_padded(std::string_view{im_}, im_width),
        serie_,
        zero_padded(numero_, numero_width)
    );
}

Parsed<std::string> signature_text(SpLayout layout, const SpRps& rps)
{
    const bool has_nif = rps.taker == SpTaker::nif;
    if (has_nif) {
        if (layout == SpLayout::one) return std::unexpected{IdFault::wrong_kind};
        if (rps.documento.empty() || rps.documento.size() > nif_length_max) {
            return std::unexpected{IdFault::length};
        }
        if (!visible_set.has_all(rps.documento)) return std::unexpected{IdFault::characters};
    }
    const auto service = print_service(layout, rps);
    if (!service) return std::unexpected{service.error()};
    const auto documento = print_documento(rps.taker, rps.documento);
    if (!documento) return std::unexpected{documento.error()};
    std::string text = fmt::format("{}{}{}", *service, static_cast<int>(rps.taker), *documento);
    if (rps.intermediary) {
        const auto intermediary = print_intermediary(*rps.intermediary);
        if (!intermediary) return std::unexpected{intermediary.error()};
        text += *intermediary;
    }
    if (has_nif) text += rps.documento;
    return text;
}

}  // namespace umavez::fiscal
