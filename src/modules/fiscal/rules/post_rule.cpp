#include "modules/fiscal/rules/post_rule.hpp"

namespace umavez::fiscal {

PostStep post_step(std::optional<Estado> found, PostedBytes bytes) noexcept
{
    if (!found) return PostStep::send;
    const bool is_same = bytes == PostedBytes::same;
    switch (*found) {
        case Estado::reservado: return PostStep::send;
        case Estado::rejeitado: return is_same ? PostStep::send : PostStep::send_new_version;
        case Estado::transmitido:
        case Estado::indeterminado:
            return is_same ? PostStep::conciliate : PostStep::refuse_in_doubt;
        case Estado::autorizado:
        case Estado::cancelamento_pendente:
        case Estado::cancelamento_em_analise: return PostStep::answer_from_cache;
        case Estado::inutilizacao_pendente: return PostStep::refuse_in_doubt;
        case Estado::denegado:
        case Estado::cancelado:
        case Estado::substituido:
        case Estado::inutilizado: break;
    }
    return PostStep::refuse_for_good;
}

std::string_view to_text(PostStep step) noexcept
{
    switch (step) {
        case PostStep::send: return "send";
        case PostStep::send_new_version: return "send_new_version";
        case PostStep::answer_from_cache: return "answer_from_cache";
        case PostStep::conciliate: return "conciliate";
        case PostStep::refuse_in_doubt: return "refuse_in_doubt";
        case PostStep::refuse_for_good: return "refuse_for_good";
    }
    return "";
}

}  // namespace umavez::fiscal
