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
                    "não está válido agora. Nada foi marcado como enviado. O log do servidor diz qual "
                    "ajuste.",
                .cure = "Quem opera o servidor corrige o ajuste; depois envie a mesma requisição.",
            },
        },
        {
            .name = "numeros-nao-inutilizaveis",
            .status = 409,
            .english = {
                .title = "Some of these numbers cannot be voided",
                .explanation =
                    "Only numbers that were reserved or refused can be given up. `numeros` has the others: "
                    "in use, in doubt, or not given out by this server. None of the numbers was voided.",
                .cure = "A document in doubt is asked about first (POST …/conciliar). Leave the others out.",
            },
            .portuguese = {
                .title = "Alguns destes números não podem ser inutilizados",
                .explanation =
                    "Só números reservados ou rejeitados podem ser inutilizados. `numeros` traz os outros: "
                    "em uso, em dúvida, ou não fornecidos por este servidor. Nenhum número foi inutilizado.",
                .cure = "Um documento em dúvida é consultado antes (POST …/conciliar). Deixe os outros de "
                        "fora.",
            },
        },
        {
            .name = "inutilizacao-recusada",
            .status = 422,
            .english = {
                .title = "The authority refused to void a number",
                .explanation =
                    "`mensagens` of the documents say why. Those in INUTILIZADO are voided, the others are "
                    "as before.",
                .cure = "A number that is in use there belongs to a document: find it before anything else.",
            },
            .portuguese = {
                .title = "A autoridade recusou inutilizar um número",
                .explanation =
                    "`mensagens` dos documentos dizem por quê. Os que estão INUTILIZADO foram inutilizados, "
                    "os outros ficam como antes.",
                .cure = "Um número que está em uso lá pertence a um documento: encontre-o antes de tudo.",
            },
        },
        {
            .name = "numero-em-uso",
            .status = 409,
            .english = {
                .title = "The number belongs to another document",
                .explanation =
                    "An authority would take this note beside the other one, as a second sale: a number that "
                    "was sent, or may have been, is never used again in contingency. Nothing was sent.",
                .cure = "Issue the off-line note under a new number, and name the other document in "
                        "`substitui`.",
            },
            .portuguese = {
                .title = "O número pertence a outro documento",
                .explanation =
                    "A autoridade aceitaria esta nota ao lado da outra, como uma segunda venda: um número "
                    "que foi enviado, ou pode ter sido, nunca é usado de novo em contingência. Nada foi "
                    "enviado.",
                .cure = "Emita a nota off-line com um número novo, e informe o outro documento em "
                        "`substitui`.",
            },
        },
        {
            .name = "substituicao-impossivel",
            .status = 409,
            .english = {
                .title = "The document cannot take the place of the other one",
                .explanation =
                    "`substitui` names an NFC-e of the same issuer and environment that was sent and may be "
                    "authorised; the new one is an off-line NFC-e (tpEmis 9). Nothing was sent.",
                .cure = "Name the document that is in doubt, or leave `substitui` out.",
            },
            .portuguese = {
                .title = "O documento não pode substituir o outro",
                .explanation =
                    "`substitui` informa uma NFC-e do mesmo emitente e ambiente que foi enviada e pode estar "
                    "autorizada; a nova é uma NFC-e off-line (tpEmis 9). Nada foi enviado.",
                .cure = "Informe o documento que está em dúvida, ou não envie `substitui`.",
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
