#include "modules/fiscal/ids/nfse_key.hpp"

#include "base/assert.hpp"
#include "modules/fiscal/ids/modulo11.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {
namespace {

constexpr std::string_view id_prefix = "NFS";

Parsed<Inscricao> parse_inscricao(const NfseKey& key)
{
    const auto kind = key.tp_insc() == "1" ? InscricaoKind::cpf : InscricaoKind::cnpj;
    return Inscricao::parse_padded(kind, key.inscricao());
}

}  // namespace

Parsed<NfseKey> NfseKey::parse(std::string_view text)
{
    if (text.size() != length) return std::unexpected{IdFault::length};
    if (!digits.has_all(text.substr(0, 9)) || !digits_and_capitals.has_all(text.substr(9, 12)) ||
        !digits.has_all(text.substr(21))) {
        return std::unexpected{IdFault::characters};
    }
    NfseKey key{std::string{text}};
    if (key.amb_ger() != "1" && key.amb_ger() != "2") return std::unexpected{IdFault::out_of_range};
    if (key.tp_insc() != "1" && key.tp_insc() != "2") return std::unexpected{IdFault::wrong_kind};
    if (const auto inscricao = parse_inscricao(key); !inscricao) {
        return std::unexpected{inscricao.error()};
    }
    if (!is_year_and_month(key.aamm())) return std::unexpected{IdFault::month};
    if (text.back() != check_digit(text.substr(0, length - 1))) {
        return std::unexpected{IdFault::check_digits};
    }
    return key;
}

Parsed<NfseKey> NfseKey::build(const NfseKeyFields& fields)
{
    if (fields.municipio.size() != 7 || fields.aleatorio.size() != 9) {
        return std::unexpected{IdFault::length};
    }
    if (!digits.has_all(fields.municipio) || !digits.has_all(fields.aleatorio)) {
        return std::unexpected{IdFault::characters};
    }
    if (!is_year_and_month(fields.aamm)) return std::unexpected{IdFault::month};
    const std::string numero = zero_padded(fields.numero, 13);
    if (numero.empty() || (fields.amb_ger != 1 && fields.amb_ger != 2)) {
        return std::unexpected{IdFault::out_of_range};
    }
    std::string text = fmt::format(
        "{}{}{}{}{}{}{}",
        fields.municipio,
        fields.amb_ger,
        static_cast<int>(fields.inscricao.kind()),
        fields.inscricao.padded(),
        numero,
        fields.aamm,
        fields.aleatorio
    );
    text += check_digit(text);
    return NfseKey{std::move(text)};
}

Parsed<NfseKey> NfseKey::parse_id(std::string_view id)
{
    if (!id.starts_with(id_prefix)) return std::unexpected{IdFault::characters};
    return parse(id.substr(id_prefix.size()));
}

NfseKeyFields NfseKey::fields() const
{
    auto parsed = parse_inscricao(*this);
    UMAVEZ_ASSERT(parsed.has_value());
    return {
        .municipio = std::string{municipio()},
        .amb_ger = amb_ger().front() - '0',
        .inscricao = std::move(*parsed),
        .numero = number_of(numero()),
        .aamm = std::string{aamm()},
        .aleatorio = std::string{aleatorio()},
    };
}

}  // namespace umavez::fiscal
