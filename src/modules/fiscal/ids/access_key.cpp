#include "modules/fiscal/ids/access_key.hpp"

#include "base/assert.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/ids/uf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace umavez::fiscal {
namespace {

constexpr std::string_view id_prefix = "NFe";
constexpr std::int64_t cpf_serie_first = 910;
constexpr std::int64_t cpf_serie_last = 969;

std::string_view to_modelo(Tipo tipo) noexcept
{
    return tipo == Tipo::nfe ? "55" : "65";
}

// The parts as printed, or why there are none.
struct Printed {
    std::string serie;
    std::string numero;
};

Parsed<Printed> print(const NaturalKeyFields& fields)
{
    if (fields.tipo != Tipo::nfe && fields.tipo != Tipo::nfce)
        return std::unexpected{IdFault::model};
    if (!is_uf(fields.uf)) return std::unexpected{IdFault::unknown_uf};
    if (fields.inscricao.size() != Inscricao::cnpj_length) return std::unexpected{IdFault::length};
    const std::string_view inscricao = fields.inscricao;
    if (!digits_and_capitals.has_all(inscricao.substr(0, 12)) ||
        !digits.has_all(inscricao.substr(12))) {
        return std::unexpected{IdFault::characters};
    }
    if (fields.numero == 0) return std::unexpected{IdFault::number_zero};
    Printed printed{zero_padded(fields.serie, 3), zero_padded(fields.numero, 9)};
    if (printed.serie.empty() || printed.numero.empty() || fields.tp_emis < 0 ||
        fields.tp_emis > 9) {
        return std::unexpected{IdFault::out_of_range};
    }
    return printed;
}

}  // namespace

bool is_uf(std::string_view code) noexcept
{
    const auto uf = find_uf(code);
    return uf && uf->codigo == code;
}

Parsed<NaturalKey> NaturalKey::make(const NaturalKeyFields& fields)
{
    const auto printed = print(fields);
    if (!printed) return std::unexpected{printed.error()};
    std::string text = fmt::format(
        "{}_{}_{}_{}_{}",
        to_modelo(fields.tipo),
        fields.uf,
        fields.inscricao,
        printed->serie,
        printed->numero
    );
    if (fields.tipo == Tipo::nfce) text += fmt::format("_{}", fields.tp_emis);
    return NaturalKey{fields.tipo, std::move(text)};
}

Parsed<AccessKey> AccessKey::parse(std::string_view text)
{
    if (text.size() != length) return std::unexpected{IdFault::length};
    if (!digits.has_all(text.substr(0, 6)) || !digits_and_capitals.has_all(text.substr(6, 12)) ||
        !digits.has_all(text.substr(18))) {
        return std::unexpected{IdFault::characters};
    }
    AccessKey key{std::string{text}};
    if (!is_uf(key.uf())) return std::unexpected{IdFault::unknown_uf};
    if (!is_year_and_month(key.aamm())) return std::unexpected{IdFault::month};
    if (key.modelo() != "55" && key.modelo() != "65") return std::unexpected{IdFault::model};
    if (number_of(key.numero()) == 0) return std::unexpected{IdFault::number_zero};
    if (text.back() != check_digit(text.substr(0, length - 1))) {
        return std::unexpected{IdFault::check_digits};
    }
    return key;
}

Parsed<AccessKey> AccessKey::build(const AccessKeyFields& fields)
{
    const auto printed = print(fields.natural);
    if (!printed) return std::unexpected{printed.error()};
    if (!is_year_and_month(fields.aamm)) return std::unexpected{IdFault::month};
    if (fields.c_nf.size() != 8) return std::unexpected{IdFault::length};
    if (!digits.has_all(fields.c_nf)) return std::unexpected{IdFault::characters};
    std::string text = fmt::format(
        "{}{}{}{}{}{}{}{}",
        fields.natural.uf,
        fields.aamm,
        fields.natural.inscricao,
        to_modelo(fields.natural.tipo),
        printed->serie,
        printed->numero,
        fields.natural.tp_emis,
        fields.c_nf
    );
    text += check_digit(text);
    return AccessKey{std::move(text)};
}

Parsed<AccessKey> AccessKey::parse_id(std::string_view id)
{
    if (!id.starts_with(id_prefix)) return std::unexpected{IdFault::characters};
    return parse(id.substr(id_prefix.size()));
}

Tipo AccessKey::tipo() const noexcept
{
    return modelo() == "55" ? Tipo::nfe : Tipo::nfce;
}

Parsed<Inscricao> AccessKey::find_inscricao() const
{
    const std::int64_t number = number_of(serie());
    const bool is_cpf = number >= cpf_serie_first && number <= cpf_serie_last;
    return Inscricao::parse_padded(is_cpf ? InscricaoKind::cpf : InscricaoKind::cnpj, inscricao());
}

AccessKeyFields AccessKey::fields() const
{
    return {
        .natural =
            {.tipo = tipo(),
             .uf = std::string{uf()},
             .inscricao = std::string{inscricao()},
             .serie = number_of(serie()),
             .numero = number_of(numero()),
             .tp_emis = tp_emis().front() - '0'},
        .aamm = std::string{aamm()},
        .c_nf = std::string{c_nf()},
    };
}

NaturalKey AccessKey::natural_key() const
{
    auto natural = NaturalKey::make(fields().natural);
    UMAVEZ_ASSERT(natural.has_value());
    return std::move(*natural);
}

}  // namespace umavez::fiscal
