#include "modules/fiscal/sao_paulo/elements.hpp"

#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/sao_paulo/names.hpp"

namespace umavez::fiscal::sao_paulo {

using xml::Element;

std::vector<Element> find_all(const Element& parent, std::string_view name)
{
    std::vector<Element> found;
    for (const Element& child : parent.children()) {
        const bool is_of_city = child.space().empty() || child.space() == sp_namespace;
        if (child.name() == name && is_of_city) found.push_back(child);
    }
    return found;
}

std::optional<Element> find_one(const Element& parent, std::string_view name)
{
    const auto found = find_all(parent, name);
    return found.size() == 1 ? std::optional{found.front()} : std::nullopt;
}

std::string find_text(const Element& parent, std::string_view name)
{
    const auto found = find_one(parent, name);
    if (!found) return {};
    constexpr std::string_view blanks = " \t\r\n";
    const std::string text = found->text();
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::optional<SpRpsKey> read_chave_rps(const Element& chave_rps)
{
    const std::string numero = find_text(chave_rps, "NumeroRPS");
    if (numero.empty() || numero.size() > 12 || !digits.has_all(numero)) return std::nullopt;
    const auto key = SpRpsKey::make(
        find_text(chave_rps, "InscricaoPrestador"),
        find_text(chave_rps, "SerieRPS"),
        number_of(numero)
    );
    return key ? std::optional{*key} : std::nullopt;
}

}  // namespace umavez::fiscal::sao_paulo
