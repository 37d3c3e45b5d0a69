#include "modules/fiscal/rules/estado.hpp"

#include <algorithm>
#include <array>

namespace umavez::fiscal {
namespace {

using enum Estado;

constexpr std::array estados = {
    reservado,
    transmitido,
    indeterminado,
    autorizado,
    rejeitado,
    denegado,
    cancelamento_pendente,
    cancelamento_em_analise,
    cancelado,
    substituido,
    inutilizacao_pendente,
    inutilizado,
};

struct Transition {
    Estado from;
    Estado to;
};

constexpr std::array transitions = {
    Transition{reservado, transmitido},
    Transition{reservado, indeterminado},
    Transition{reservado, autorizado},
    Transition{reservado, denegado},
    Transition{reservado, cancelado},
    Transition{reservado, substituido},
    Transition{reservado, cancelamento_em_analise},
    Transition{reservado, inutilizacao_pendente},

    Transition{transmitido, reservado},  // nothing was stored by the authority
    Transition{transmitido, rejeitado},
    Transition{transmitido, indeterminado},
    Transition{transmitido, autorizado},
    Transition{transmitido, denegado},
    Transition{transmitido, cancelado},
    Transition{transmitido, substituido},
    Transition{transmitido, cancelamento_em_analise},

    Transition{indeterminado, transmitido},  // the same bytes again
    Transition{indeterminado, rejeitado},
    Transition{indeterminado, autorizado},
    Transition{indeterminado, denegado},
    Transition{indeterminado, cancelado},
    Transition{indeterminado, substituido},
    Transition{indeterminado, cancelamento_em_analise},

    Transition{autorizado, cancelamento_pendente},
    Transition{autorizado, cancelamento_em_analise},
    Transition{autorizado, cancelado},
    Transition{autorizado, substituido},

    Transition{rejeitado, transmitido},
    Transition{rejeitado, indeterminado},
    Transition{rejeitado, autorizado},
    Transition{rejeitado, denegado},
    Transition{rejeitado, cancelado},
    Transition{rejeitado, substituido},
    Transition{rejeitado, cancelamento_em_analise},
    Transition{rejeitado, inutilizacao_pendente},

    Transition{cancelamento_pendente, autorizado},
    Transition{cancelamento_pendente, cancelamento_em_analise},
    Transition{cancelamento_pendente, cancelado},
    Transition{cancelamento_pendente, substituido},

    Transition{cancelamento_em_analise, autorizado},
    Transition{cancelamento_em_analise, cancelado},
    Transition{cancelamento_em_analise, substituido},

    Transition{inutilizacao_pendente, reservado},  // voiding was refused
    Transition{inutilizacao_pendente, rejeitado},
    Transition{inutilizacao_pendente, inutilizado},
    // The number was used after all.
    Transition{inutilizacao_pendente, autorizado},
    Transition{inutilizacao_pendente, denegado},
    Transition{inutilizacao_pendente, cancelado},
    Transition{inutilizacao_pendente, substituido},
    Transition{inutilizacao_pendente, cancelamento_em_analise},
};

}  // namespace

std::string_view to_text(Estado estado) noexcept
{
    switch (estado) {
        case reservado: return "RESERVADO";
        case transmitido: return "TRANSMITIDO";
        case indeterminado: return "INDETERMINADO";
        case autorizado: return "AUTORIZADO";
        case rejeitado: return "REJEITADO";
        case denegado: return "DENEGADO";
        case cancelamento_pendente: return "CANCELAMENTO_PENDENTE";
        case cancelamento_em_analise: return "CANCELAMENTO_EM_ANALISE";
        case cancelado: return "CANCELADO";
        case substituido: return "SUBSTITUIDO";
        case inutilizacao_pendente: return "INUTILIZACAO_PENDENTE";
        case inutilizado: return "INUTILIZADO";
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

std::span<const Estado> all_estados() noexcept
{
    return estados;
}

std::vector<std::string> estado_words()
{
    std::vector<std::string> texts;
    texts.reserve(estados.size());
    for (const Estado estado : estados) texts.emplace_back(to_text(estado));
    return texts;
}

bool is_final(Estado estado) noexcept
{
    return estado == denegado || estado == cancelado || estado == substituido ||
           estado == inutilizado;
}

bool is_in_doubt(Estado estado) noexcept
{
    return estado == Estado::transmitido || estado == Estado::indeterminado;
}

bool is_cancelling(Estado estado) noexcept
{
    return estado == Estado::cancelamento_pendente || estado == Estado::cancelamento_em_analise;
}

bool is_unused(Estado estado) noexcept
{
    return estado == reservado || estado == rejeitado;
}

bool is_open(Estado estado) noexcept
{
    return is_in_doubt(estado) || is_cancelling(estado) || estado == inutilizacao_pendente;
}

bool may_become(Estado from, Estado to) noexcept
{
    if (from == to) return !is_final(from);
    return std::ranges::any_of(transitions, [from, to](const Transition& transition) {
        return transition.from == from && transition.to == to;
    });
}

}  // namespace umavez::fiscal
