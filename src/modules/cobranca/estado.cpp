#include "modules/cobranca/estado.hpp"

#include <algorithm>
#include <array>

namespace umavez::cobranca {
namespace {

constexpr std::array estados_assinatura = {
    EstadoAssinatura::ativa, EstadoAssinatura::suspensa, EstadoAssinatura::cancelada
};
constexpr std::array estados_fatura = {
    EstadoFatura::aberta, EstadoFatura::paga, EstadoFatura::cancelada
};
constexpr std::array ciclos = {Ciclo::mensal, Ciclo::anual};

struct Transition {
    EstadoAssinatura from;
    EstadoAssinatura to;
};

constexpr std::array transitions = {
    Transition{EstadoAssinatura::ativa, EstadoAssinatura::suspensa},
    Transition{EstadoAssinatura::suspensa, EstadoAssinatura::ativa},
    Transition{EstadoAssinatura::ativa, EstadoAssinatura::cancelada},
    Transition{EstadoAssinatura::suspensa, EstadoAssinatura::cancelada},
};

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

std::string_view to_text(EstadoAssinatura estado) noexcept
{
    switch (estado) {
        case EstadoAssinatura::ativa: return "ativa";
        case EstadoAssinatura::suspensa: return "suspensa";
        case EstadoAssinatura::cancelada: return "cancelada";
    }
    return "";
}

std::string_view to_text(EstadoFatura estado) noexcept
{
    switch (estado) {
        case EstadoFatura::aberta: return "aberta";
        case EstadoFatura::paga: return "paga";
        case EstadoFatura::cancelada: return "cancelada";
    }
    return "";
}

std::string_view to_text(Ciclo ciclo) noexcept
{
    switch (ciclo) {
        case Ciclo::mensal: return "mensal";
        case Ciclo::anual: return "anual";
    }
    return "";
}

std::optional<EstadoAssinatura> parse_estado_assinatura(std::string_view text) noexcept
{
    return find_word(estados_assinatura, text);
}

std::optional<EstadoFatura> parse_estado_fatura(std::string_view text) noexcept
{
    return find_word(estados_fatura, text);
}

std::optional<Ciclo> parse_ciclo(std::string_view text) noexcept
{
    return find_word(ciclos, text);
}

std::vector<std::string> estado_assinatura_words()
{
    return to_texts(estados_assinatura);
}

std::vector<std::string> estado_fatura_words()
{
    return to_texts(estados_fatura);
}

std::vector<std::string> ciclo_words()
{
    return to_texts(ciclos);
}

bool is_final(EstadoAssinatura estado) noexcept
{
    return estado == EstadoAssinatura::cancelada;
}

bool may_become(EstadoAssinatura from, EstadoAssinatura to) noexcept
{
    if (from == to) return !is_final(from);
    return std::ranges::any_of(transitions, [from, to](const Transition& transition) {
        return transition.from == from && transition.to == to;
    });
}

}  // namespace umavez::cobranca
