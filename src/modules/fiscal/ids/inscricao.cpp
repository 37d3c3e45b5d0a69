#include "modules/fiscal/ids/inscricao.hpp"

#include "modules/fiscal/ids/modulo11.hpp"

namespace umavez::fiscal {
namespace {

constexpr std::string_view cpf_padding = "000";
constexpr int cpf_weight_max = 11;
constexpr int cnpj_weight_max = 9;

bool has_right_digits(std::string_view text, int weight_max) noexcept
{
    const std::size_t body = text.size() - 2;
    return text[body] == check_digit(text.substr(0, body), weight_max) &&
           text[body + 1] == check_digit(text.substr(0, body + 1), weight_max);
}

}  // namespace

Parsed<Inscricao> Inscricao::parse(std::string_view text)
{
    const bool is_cpf = text.size() == cpf_length;
    if (!is_cpf && text.size() != cnpj_length) return std::unexpected{IdFault::length};
    const std::size_t body = text.size() - 2;
    const CharSet& body_set = is_cpf ? digits : digits_and_capitals;
    if (text.find_first_not_of(text.front()) == std::string_view::npos) {
        return std::unexpected{IdFault::all_equal};
    }
    if (!body_set.has_all(text.substr(0, body)) || !digits.has_all(text.substr(body))) {
        return std::unexpected{IdFault::characters};
    }
    if (!has_right_digits(text, is_cpf ? cpf_weight_max : cnpj_weight_max)) {
        return std::unexpected{IdFault::check_digits};
    }
    return Inscricao{std::string{text}};
}

Parsed<Inscricao> Inscricao::parse_padded(InscricaoKind kind, std::string_view text)
{
    if (text.size() != cnpj_length) return std::unexpected{IdFault::length};
    if (kind == InscricaoKind::cnpj) return parse(text);
    if (!text.starts_with(cpf_padding)) return std::unexpected{IdFault::wrong_kind};
    return parse(text.substr(cpf_padding.size()));
}

InscricaoKind Inscricao::kind() const noexcept
{
    return text_.size() == cpf_length ? InscricaoKind::cpf : InscricaoKind::cnpj;
}

std::string Inscricao::padded() const
{
    return zero_padded(std::string_view{text_}, cnpj_length);
}

std::string normalise_inscricao(std::string_view text)
{
    std::string normal;
    for (const char c : text) {
        if (c == '.' || c == '/' || c == '-' || c == ' ') continue;
        normal += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return normal;
}

}  // namespace umavez::fiscal
