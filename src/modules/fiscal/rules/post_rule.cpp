#include "modules/fiscal/rules/post_rule.hpp"

namespace umavez::fiscal {

PostStep post_step(const std::optional<PostedTo>& found, PostedBytes bytes) noexcept
{
    if (!found) return PostStep::send;
    const bool is_same = bytes == PostedBytes::same;
    switch (found->estado) {
        case Estado::reservado:
            return found->is_replaced ? PostStep::refuse_for_good : PostStep::send;
        case Estado::rejeitado:
            if (found->is_replaced) return PostStep::refuse_for_good;
            if (!is_same) return PostStep::send_new_version;
            return found->refusals < equal_refusals_max ? PostStep::send : PostStep::repeat_refusal;
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
        case PostStep::repeat_refusal: return "repeat_refusal";
        case PostStep::conciliate: return "conciliate";
        case PostStep::refuse_in_doubt: return "refuse_in_doubt";
        case PostStep::refuse_for_good: return "refuse_for_good";
    }
    return "";
}

}  // namespace umavez::fiscal
