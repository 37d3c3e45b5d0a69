// The kinds of errors that only the inbox knows, in words for people.

#include "webhook/inbox/ingress.hpp"

namespace umavez::webhook {

std::vector<http::ProblemKind> problem_kinds()
{
    // clang-format off: sentences are wrapped as text, not as code.
    return {
        {
            .name = "webhook-signature",
            .status = 401,
            .english = {
                .title = "The signature does not hold",
                .explanation =
                    "The event carries no signature, or one that none of the configured secrets makes over "
                    "exactly these bytes. Nothing was kept.",
                .cure =
                    "Compare the secret of the provider's panel with `secrets` of the "
                    "[[webhook.provider]], and "
                    ""
                    "see that nothing between both changes the body.",
            },
            .portuguese = {
                .title = "A assinatura não confere",
                .explanation =
                    "O evento não traz assinatura, ou traz uma que nenhum dos segredos configurados produz "
                    "sobre exatamente estes bytes. Nada foi guardado.",
                .cure =
                    "Compare o segredo do painel do provedor com `secrets` do [[webhook.provider]] e "
                    "verifique "
                    ""
                    "se nada entre os dois altera o corpo.",
            },
        },
        {
            .name = "webhook-timestamp",
            .status = 400,
            .english = {
                .title = "The event was signed too long ago, or in the future",
                .explanation =
                    "The signed time is missing, is no number, or differs from ours by more than the "
                    "tolerance. "
                    ""
                    "Nothing was kept.",
                .cure = "See that the clocks agree; a redelivery by the provider is signed anew.",
            },
            .portuguese = {
                .title = "O evento foi assinado há tempo demais, ou no futuro",
                .explanation =
                    "A hora assinada falta, não é um número ou difere da nossa em mais que a "
                    "tolerância. Nada "
                    ""
                    "foi guardado.",
                .cure = "Verifique se os relógios concordam; um reenvio do provedor é assinado de novo.",
            },
        },
        {
            .name = "webhook-malformed",
            .status = 400,
            .english = {
                .title = "The event cannot be told from others",
                .explanation =
                    "The signature holds, but the event has no id where its provider puts one, or its body "
                    "cannot be read. Nothing was kept.",
                .cure = "See docs/guides/webhooks.md for what is deduplicated on.",
            },
            .portuguese = {
                .title = "O evento não se distingue de outros",
                .explanation =
                    "A assinatura confere, mas o evento não tem um id onde seu provedor o coloca, ou "
                    "seu corpo "
                    ""
                    "não pode ser lido. Nada foi guardado.",
                .cure = "Veja em docs/guides/webhooks.md por qual campo os eventos são deduplicados.",
            },
        },
        {
            .name = "webhook-quarantined",
            .status = 409,
            .english = {
                .title = "This event was received before with another body",
                .explanation =
                    "An event of this id is there, and its content differs. The first one stands; "
                    "this one is "
                    ""
                    "kept apart for an operator and has no effect.",
                .cure = "`umavez webhook quarantine` shows both.",
            },
            .portuguese = {
                .title = "Este evento já foi recebido com outro corpo",
                .explanation =
                    "Há um evento com este id, e seu conteúdo difere. Vale o primeiro; este fica "
                    "separado para "
                    ""
                    "um operador e não tem efeito.",
                .cure = "`umavez webhook quarantine` mostra os dois.",
            },
        },
        {
            .name = "account-taken",
            .status = 409,
            .english = {
                .title = "This account belongs to another tenant",
                .explanation =
                    "Events of an account have one tenant, and this account has another one than you wrote. "
                    "Nothing was changed.",
                .cure = "Remove it from the other tenant first, if that is what you want.",
            },
            .portuguese = {
                .title = "Esta conta pertence a outro inquilino",
                .explanation =
                    "Os eventos de uma conta têm um inquilino, e esta conta tem outro que não o "
                    "indicado. Nada "
                    ""
                    "foi alterado.",
                .cure = "Remova-a antes do outro inquilino, se for essa a intenção.",
            },
        },
    };
    // clang-format on
}

}  // namespace umavez::webhook
