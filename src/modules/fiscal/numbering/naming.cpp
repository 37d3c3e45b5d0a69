#include "modules/fiscal/numbering/naming.hpp"

#include "modules/fiscal/ids/id_idempotencia.hpp"

#include <algorithm>
#include <charconv>

namespace umavez::fiscal {
namespace {

Parsed<std::int64_t> read_serie_number(std::string_view text, std::size_t digits_max)
{
    if (text.empty() || text.size() > digits_max) return std::unexpected(IdFault::length);
    if (!std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
        return std::unexpected(IdFault::characters);
    }
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

Parsed<NomeDoNumero> name_dps(
    const Serie& serie, const Lugar& lugar, std::int64_t numero, std::int64_t serie_number
)
{
    const auto inscricao = Inscricao::parse(serie.emitente);
    if (!inscricao) return std::unexpected(inscricao.error());
    const auto id = DpsId::build({
        .municipio = lugar.municipio,
        .inscricao = *inscricao,
        .serie = serie_number,
        .numero = numero,
    });
    if (!id) return std::unexpected(id.error());
    return NomeDoNumero{id_idempotencia(serie.ambiente, *id), id->text()};
}

Parsed<NomeDoNumero> name_note(
    const Serie& serie, const Lugar& lugar, std::int64_t numero, std::int64_t serie_number
)
{
    const auto inscricao = Inscricao::parse(serie.emitente);
    if (!inscricao) return std::unexpected(inscricao.error());
    const auto key = NaturalKey::make({
        .tipo = serie.tipo,
        .uf = lugar.uf,
        .inscricao = inscricao->padded(),
        .serie = serie_number,
        .numero = numero,
        .tp_emis = static_cast<int>(std::clamp<std::int64_t>(lugar.tp_emis, -1, 10)),
    });
    if (!key) return std::unexpected(key.error());
    return NomeDoNumero{id_idempotencia(serie.ambiente, *key), {}};
}

}  // namespace

Parsed<std::string> canonical_serie(Tipo tipo, std::string_view text)
{
    constexpr std::size_t note_digits = 3;
    constexpr std::size_t dps_digits = 5;
    if (tipo == Tipo::nfse_sp) {
        const auto key = SpRpsKey::make("1", text, 1);
        if (!key) return std::unexpected(key.error());
        return key->serie();
    }
    const auto number =
        read_serie_number(text, tipo == Tipo::nfse_nacional ? dps_digits : note_digits);
    if (!number) return std::unexpected(number.error());
    return std::to_string(*number);
}

std::string_view lugar_field(Tipo tipo) noexcept
{
    switch (tipo) {
        case Tipo::nfe:
        case Tipo::nfce: return "uf";
        case Tipo::nfse_sp: return "inscricao_municipal";
        case Tipo::nfse_nacional: break;
    }
    return "municipio";
}

Parsed<NomeDoNumero> name_number(const Serie& serie, const Lugar& lugar, std::int64_t numero)
{
    if (serie.tipo == Tipo::nfse_sp) {
        const auto key = SpRpsKey::make(lugar.inscricao_municipal, serie.serie, numero);
        if (!key) return std::unexpected(key.error());
        return NomeDoNumero{id_idempotencia(serie.ambiente, *key), key->text()};
    }
    constexpr std::size_t digits_max = 5;
    const auto serie_number = read_serie_number(serie.serie, digits_max);
    if (!serie_number) return std::unexpected(serie_number.error());
    return serie.tipo == Tipo::nfse_nacional ? name_dps(serie, lugar, numero, *serie_number)
                                             : name_note(serie, lugar, numero, *serie_number);
}

}  // namespace umavez::fiscal
