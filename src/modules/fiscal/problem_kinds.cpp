#include "modules/fiscal/answers.hpp"

namespace umavez::fiscal {

std::vector<http::ProblemKind> problem_kinds()
{
    // clang-format off
    return {
        {
            .name = "documento-rejeitado",
            .status = 422,
            .english = {
                .title = "The authority refused the document",
                .explanation =
                    "Its `mensagens` say why, in the authority's own words. A document in REJEITADO is not "
                    "stored there, and its number is free; one in DENEGADO has used its number up.",
                .cure = "REJEITADO: correct the XML and send it again under the same number. DENEGADO: use "
                        "another number.",
            },
            .portuguese = {
                .title = "A autoridade rejeitou o documento",
                .explanation =
                    "`mensagens` diz por quê, nas palavras da autoridade. Um documento REJEITADO não ficou "
                    "registrado lá, e o número está livre; um DENEGADO consumiu o número.",
                .cure = "REJEITADO: corrija o XML e envie de novo com o mesmo número. DENEGADO: use outro "
                        "número.",
            },
        },
        {
            .name = "cancelamento-recusado",
            .status = 422,
            .english = {
                .title = "The authority refused the cancellation",
                .explanation =
                    "The document is authorised as before; `mensagens` says why, in the authority's own "
                    "words. Nothing was registered.",
                .cure = "Correct what they name, if it can be corrected; deadlines cannot.",
            },
            .portuguese = {
                .title = "A autoridade recusou o cancelamento",
                .explanation =
                    "O documento continua autorizado; `mensagens` diz por quê, nas palavras da autoridade. "
                    "Nada foi registrado.",
                .cure = "Corrija o que elas apontam, se puder ser corrigido; prazos não podem.",
            },
        },
        {
            .name = "estado-nao-permite",
            .status = 409,
            .english = {
                .title = "The document's state does not allow this",
                .explanation =
                    "What was asked for does not fit the state the document is in, which `documento` tells. "
                    "Nothing was sent to the authority.",
                .cure = "Look at the document. A number that is used up stays so: use the next one.",
            },
            .portuguese = {
                .title = "O estado do documento não permite isso",
                .explanation =
                    "O pedido não cabe no estado em que o documento está, que `documento` informa. Nada foi "
                    "enviado à autoridade.",
                .cure = "Veja o documento. Um número consumido continua consumido: use o seguinte.",
            },
        },
        {
            .name = "documento-em-duvida",
            .status = 409,
            .english = {
                .title = "Nobody knows yet what became of this document",
                .explanation =
                    "It was sent, no answer came, and the authority will be asked. Until then only the same "
                    "bytes are accepted under its number: other ones could become a second document.",
                .cure = "Wait for `proxima_conciliacao_em`, or ask with POST …/conciliar; then look again.",
            },
            .portuguese = {
                .title = "Ainda não se sabe o que houve com este documento",
                .explanation =
                    "Ele foi enviado, não veio resposta, e a autoridade será consultada. Até lá só os mesmos "
                    "bytes são aceitos com esse número: outros poderiam virar um segundo documento.",
                .cure = "Espere `proxima_conciliacao_em`, ou consulte com POST …/conciliar; depois veja de "
                        "novo.",
            },
        },
        {
            .name = "autoridade-indisponivel",
            .status = 503,
            .has_retry_after = true,
            .english = {
                .title = "The authority does not take documents now",
                .explanation =
                    "It was not reached, or said that it cannot work now. Nothing was stored there: the "
                    "effect is none.",
                .cure = "Send the same request again after Retry-After.",
            },
            .portuguese = {
                .title = "A autoridade não recebe documentos agora",
                .explanation =
                    "Ela não foi alcançada, ou disse que não pode trabalhar agora. Nada foi registrado lá: "
                    "não houve efeito.",
                .cure = "Envie a mesma requisição de novo depois de Retry-After.",
            },
        },
        {
            .name = "autoridade-bloqueada",
            .status = 503,
            .has_retry_after = true,
            .english = {
                .title = "The authority wants to be left alone",
                .explanation =
                    "It said that this issuer asks too often. No call is made until the block is over, "
                    "because every call would prolong it. Nothing was sent.",
                .cure = "Send the same request again after Retry-After.",
            },
            .portuguese = {
                .title = "A autoridade pediu uma pausa",
                .explanation =
                    "Ela disse que este emitente consulta demais. Nenhuma chamada é feita até o bloqueio "
                    "acabar, porque cada uma o prolongaria. Nada foi enviado.",
                .cure = "Envie a mesma requisição de novo depois de Retry-After.",
            },
        },
        {
            .name = "autoridade-nao-configurada",
            .status = 409,
            .english = {
                .title = "The authority cannot be called for this issuer",
                .explanation =
                    "An endpoint is missing, or the issuer's certificate is: it cannot be read, has no key, "
                    "or is not valid now. Nothing was marked as sent. The server's log names the setting.",
                .cure = "Whoever runs the server corrects the setting; then send the same request again.",
            },
            .portuguese = {
                .title = "A autoridade não pode ser chamada para este emitente",
                .explanation =
                    "Falta um endereço, ou o certificado do emitente: não pode ser lido, não tem chave, ou "
                    "não está válido agora. Nada foi marcado como enviado. O log do servidor diz qual ajuste.",
                .cure = "Quem opera o servidor corrige o ajuste; depois envie a mesma requisição.",
            },
        },
        {
            .name = "inutilizacao-nao-oferecida",
            .status = 422,
            .english = {
                .title = "This authority voids no numbers",
                .explanation =
                    "Only SEFAZ (NF-e, NFC-e) has a service that voids numbers. Nothing was changed.",
                .cure = "Nothing has to be done: a number that was never sent is simply not used.",
            },
            .portuguese = {
                .title = "Esta autoridade não inutiliza números",
                .explanation =
                    "Só a SEFAZ (NF-e, NFC-e) tem um serviço que inutiliza números. Nada foi alterado.",
                .cure = "Não é preciso fazer nada: um número nunca enviado simplesmente não é usado.",
            },
        },
    };
    // clang-format on
}

}  // namespace umavez::fiscal
