#include "modules/fiscal/ids/tipo.hpp"

#include <array>

namespace umavez::fiscal {
namespace {

constexpr std::array tipos = {Tipo::nfe, Tipo::nfce, Tipo::nfse_sp, Tipo::nfse_nacional};
constexpr std::array ambientes = {Ambiente::producao, Ambiente::homologacao};

template <typename Words>
std::optional<typename Words::value_type> find_word(
    const Words& words, std::string_view text
) noexcept
{
    for (const auto word : words) {
        if (to_text(word) == text) return word;
    }
    return std::nullopt;
}

template <typename Words>
std::vector<std::string> to_texts(const Words& words)
{
    std::vector<std::string> texts;
    texts.reserve(words.size());
    for (const auto word : words) texts.emplace_back(to_text(word));
    return texts;
}

}  // namespace

std::string_view to_text(Tipo tipo) noexcept
{
    switch (tipo) {
        case Tipo::nfe: return "nfe";
        case Tipo::nfce: return "nfce";
        case Tipo::nfse_sp: return "nfse-sp";
        case Tipo::nfse_nacional: return "nfse-nacional";
    }
    return "";
}

std::string_view to_text(Ambiente ambiente) noexcept
{
    switch (ambiente) {
        case Ambiente::producao: return "producao";
        case Ambiente::homologacao: return "homologacao";
    }
    return "";
}

std::optional<Tipo> parse_tipo(std::string_view text) noexcept
{
    return find_word(tipos, text);
}

std::optional<Ambiente> parse_ambiente(std::string_view text) noexcept
{
    return find_word(ambientes, text);
}

bool has_voiding(Tipo tipo) noexcept
{
    return tipo == Tipo::nfe || tipo == Tipo::nfce;
}

std::vector<std::string> tipo_words()
{
    return to_texts(tipos);
}

std::vector<std::string> ambiente_words()
{
    return to_texts(ambientes);
}

}  // namespace umavez::fiscal
