#include "modules/propostas/estado.hpp"

#include <array>

namespace umavez::propostas {
namespace {

struct Transition {
    Passo passo;
    Estado from;
    Estado to;
};

constexpr std::array transitions = {
    Transition{Passo::alterar, Estado::rascunho, Estado::rascunho},
    Transition{Passo::submeter, Estado::rascunho, Estado::enviada},
    Transition{Passo::aceitar, Estado::enviada, Estado::aceita},
    Transition{Passo::recusar, Estado::enviada, Estado::recusada},
    Transition{Passo::cancelar, Estado::rascunho, Estado::cancelada},
    Transition{Passo::cancelar, Estado::enviada, Estado::cancelada},
};

constexpr std::array estados = {
    Estado::rascunho, Estado::enviada, Estado::aceita, Estado::recusada, Estado::cancelada
};

}  // namespace

std::string_view to_text(Estado estado) noexcept
{
    switch (estado) {
        case Estado::rascunho: return "rascunho";
        case Estado::enviada: return "enviada";
        case Estado::aceita: return "aceita";
        case Estado::recusada: return "recusada";
        case Estado::cancelada: return "cancelada";
    }
    return "";
}

std::string_view to_text(Passo passo) noexcept
{
    switch (passo) {
        case Passo::alterar: return "alterar";
        case Passo::submeter: return "submeter";
        case Passo::aceitar: return "aceitar";
        case Passo::recusar: return "recusar";
        case Passo::cancelar: return "cancelar";
    }
    return "";
}

std::optional<Estado> parse_estado(std::string_view text) noexcept
{
    for (const Estado estado : estados) {
        if (to_text(estado) == text) return estado;
    }
    return std::nullopt;
}

std::vector<std::string> estado_words()
{
    std::vector<std::string> words;
    for (const Estado estado : estados) words.emplace_back(to_text(estado));
    return words;
}

std::optional<Estado> estado_after(Estado estado, Passo passo) noexcept
{
    for (const Transition& transition : transitions) {
        if (transition.from == estado && transition.passo == passo) return transition.to;
    }
    return std::nullopt;
}

}  // namespace umavez::propostas
