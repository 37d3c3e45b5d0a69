// The kinds of errors that only this module knows, in words for people.

#include "modules/cobranca/answers.hpp"

namespace umavez::cobranca {

std::vector<http::ProblemKind> problem_kinds()
{
    // clang-format off: sentences are wrapped as text, not as code.
    return {
        {
            .name = "fatura-existente",
            .status = 409,
            .english = {
                .title = "The subscription has an invoice for this month",
                .explanation =
                    "A subscription has one invoice for each month (`competencia`), and `fatura_id` names "
                    "it; a cancelled one counts too. It was made with another key. Nothing was changed.",
                .cure = "Use that invoice, or name another month.",
            },
            .portuguese = {
                .title = "A assinatura já tem uma fatura deste mês",
                .explanation =
                    "Uma assinatura tem uma fatura por mês (`competencia`), que `fatura_id` indica; uma "
                    "cancelada também conta. Ela foi criada com outra chave. Nada foi alterado.",
                .cure = "Use essa fatura ou informe outro mês.",
            },
        },
        {
            .name = "pagamento-excede-saldo",
            .status = 422,
            .english = {
                .title = "The payment is above the balance",
                .explanation =
                    "An invoice takes no more than what is still to be paid, `saldo`. Nothing was changed.",
                .cure = "Send a payment of at most the balance, with a new key.",
            },
            .portuguese = {
                .title = "O pagamento excede o saldo",
                .explanation =
                    "Uma fatura não aceita mais do que falta pagar, `saldo`. Nada foi alterado.",
                .cure = "Envie um pagamento de no máximo o saldo, com uma chave nova.",
            },
        },
        {
            .name = "fatura-paga",
            .status = 409,
            .english = {
                .title = "The invoice is paid",
                .explanation =
                    "Nothing is left to pay, so the payment was not applied. Nothing was changed. A retry of "
                    "the payment that paid it never gets this answer if it carries the same key.",
                .cure = "Look at the payments of the invoice before you send another.",
            },
            .portuguese = {
                .title = "A fatura está paga",
                .explanation =
                    "Não falta pagar nada, e o pagamento não foi aplicado. Nada foi alterado. A repetição do "
                    "pagamento que a quitou nunca recebe esta resposta se usar a mesma chave.",
                .cure = "Veja os pagamentos da fatura antes de enviar outro.",
            },
        },
        {
            .name = "fatura-cancelada",
            .status = 409,
            .english = {
                .title = "The invoice is cancelled",
                .explanation = "A cancelled invoice takes no payments. Nothing was changed.",
                .cure = "Pay another invoice.",
            },
            .portuguese = {
                .title = "A fatura está cancelada",
                .explanation = "Uma fatura cancelada não aceita pagamentos. Nada foi alterado.",
                .cure = "Pague outra fatura.",
            },
        },
    };
    // clang-format on
}

}  // namespace umavez::cobranca
