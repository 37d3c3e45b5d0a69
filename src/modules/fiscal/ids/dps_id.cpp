#include "modules/fiscal/ids/dps_id.hpp"

#include "base/assert.hpp"
#include "modules/fiscal/ids/modulo11.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {
namespace {

constexpr std::string_view prefix = "DPS";
constexpr std::int64_t own_serie_first = 1;
constexpr std::int64_t own_serie_last = 49999;

Parsed<Inscricao> parse_inscricao(std::string_view tp_insc, std::string_view padded)
{
    if (tp_insc == "1") return Inscricao::parse_padded(InscricaoKind::cpf, padded);
    if (tp_insc == "2") return Inscricao::parse_padded(InscricaoKind::cnpj, padded);
    return std::unexpected{IdFault::wrong_kind};
}

}  // namespace

Parsed<DpsId> DpsId::parse(std::string_view text)
{
    if (text.size() != length) return std::unexpected{IdFault::length};
    DpsId id{std::string{text}};
    if (!text.starts_with(prefix) || !digits.has_all(id.municipio()) ||
        !digits.has_all(id.serie()) || !digits.has_all(id.numero())) {
        return std::unexpected{IdFault::characters};
    }
    const auto inscricao = parse_inscricao(id.tp_insc(), id.inscricao());
    if (!inscricao) return std::unexpected{inscricao.error()};
    if (number_of(id.numero()) == 0) return std::unexpected{IdFault::number_zero};
    return id;
}

Parsed<DpsId> DpsId::build(const DpsIdFields& fields)
{
    if (fields.municipio.size() != 7) return std::unexpected{IdFault::length};
    if (!digits.has_all(fields.municipio)) return std::unexpected{IdFault::characters};
    if (fields.numero == 0) return std::unexpected{IdFault::number_zero};
    const std::string serie = zero_padded(fields.serie, 5);
    const std::string numero = zero_padded(fields.numero, 15);
    if (serie.empty() || numero.empty()) return std::unexpected{IdFault::out_of_range};
    return DpsId{fmt::format(
        "{}{}{}{}{}{}",
        prefix,
        fields.municipio,
        static_cast<int>(fields.inscricao.kind()),
        fields.inscricao.padded(),
        serie,
        numero
    )};
}

DpsIdFields DpsId::fields() const
{
    auto parsed = parse_inscricao(tp_insc(), inscricao());
    UMAVEZ_ASSERT(parsed.has_value());
    return {
        .municipio = std::string{municipio()},
        .inscricao = std::move(*parsed),
        .serie = number_of(serie()),
        .numero = number_of(numero()),
    };
}

std::string DpsId::natural_text() const
{
    return fmt::format("{}_{}_{}_{}_{}", municipio(), tp_insc(), inscricao(), serie(), numero());
}

bool DpsId::is_own_application_serie() const noexcept
{
    const std::int64_t number = number_of(serie());
    return number >= own_serie_first && number <= own_serie_last;
}

}  // namespace umavez::fiscal
