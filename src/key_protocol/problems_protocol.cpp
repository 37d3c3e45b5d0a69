// The problems of the Idempotency-Key protocol, in the order in which a request can meet them.

#include "key_protocol/problems.hpp"

namespace umavez::key_protocol {

std::vector<http::ProblemKind> protocol_problems()
{
    // clang-format off: sentences are wrapped as text, not as code.
    return {
        {
            .name = "idempotency-key-invalid",
            .status = 400,
            .english = {
                .title = "The Idempotency-Key header is malformed",
                .explanation =
                    "A key is 1 to 255 visible ASCII characters, bare (abc) or in double quotes "
                    "(\"abc\"), sent once. The detail names the rule that was broken. Nothing was "
                    "looked up and nothing was executed.",
                .cure =
                    "Correct the header and send the request again. A random UUID per intended "
                    "operation is a good key.",
            },
            .portuguese = {
                .title = "O cabeçalho Idempotency-Key está malformado",
                .explanation =
                    "Uma chave tem de 1 a 255 caracteres ASCII visíveis, sem aspas (abc) ou entre "
                    "aspas duplas (\"abc\"), enviada uma única vez. O detalhe diz qual regra foi "
                    "violada. Nada foi consultado e nada foi executado.",
                .cure =
                    "Corrija o cabeçalho e envie a requisição de novo. Um UUID aleatório por "
                    "operação pretendida é uma boa chave.",
            },
        },
        {
            .name = "idempotency-key-missing",
            .status = 400,
            .english = {
                .title = "This operation needs an Idempotency-Key",
                .explanation =
                    "Without a key a retry of this operation could not be told from a second "
                    "order, so it is not accepted. Nothing was executed.",
                .cure =
                    "Create a key once per intended operation, store it, and send it in the "
                    "Idempotency-Key header with the first attempt and with every retry.",
            },
            .portuguese = {
                .title = "Esta operação exige um Idempotency-Key",
                .explanation =
                    "Sem uma chave, uma nova tentativa desta operação não se distinguiria de um "
                    "segundo pedido; por isso ela não é aceita. Nada foi executado.",
                .cure =
                    "Crie uma chave por operação pretendida, guarde-a e envie-a no cabeçalho "
                    "Idempotency-Key na primeira tentativa e em todas as seguintes.",
            },
        },
        {
            .name = "idempotency-key-reused",
            .status = 409,
            .status_otherwise = 422,
            .english = {
                .title = "This Idempotency-Key was used for another request",
                .explanation =
                    "The key belongs to an earlier request with another address or another "
                    "payload. The earlier request stands; this one was not executed.",
                .cure =
                    "If this is a new operation, give it a new key. If it is a retry, send exactly "
                    "what was sent the first time.",
            },
            .portuguese = {
                .title = "Este Idempotency-Key foi usado em outra requisição",
                .explanation =
                    "A chave pertence a uma requisição anterior, com outro endereço ou outro "
                    "conteúdo. A requisição anterior continua valendo; esta não foi executada.",
                .cure =
                    "Se esta é uma operação nova, use uma chave nova. Se é uma nova tentativa, "
                    "envie exatamente o que foi enviado da primeira vez.",
            },
        },
        {
            .name = "idempotency-in-progress",
            .status = 409,
            .has_retry_after = true,
            .english = {
                .title = "The first request with this key is still running",
                .explanation =
                    "Another request with the same key is being executed. This one was not "
                    "executed; it changed nothing about the first.",
                .cure =
                    "Wait as long as Retry-After says and send the same request with the same key: "
                    "the answer will be that of the first. Prefer: wait=10 waits on the server "
                    "instead.",
            },
            .portuguese = {
                .title = "A primeira requisição com esta chave ainda está em andamento",
                .explanation =
                    "Outra requisição com a mesma chave está sendo executada. Esta não foi "
                    "executada e não alterou nada na primeira.",
                .cure =
                    "Espere o tempo indicado em Retry-After e envie a mesma requisição com a mesma "
                    "chave: a resposta será a da primeira. Com Prefer: wait=10 a espera acontece "
                    "no servidor.",
            },
        },
        {
            .name = "idempotency-in-doubt",
            .status = 409,
            .has_retry_after = true,
            .english = {
                .title = "It is not known whether the operation took effect",
                .explanation =
                    "The operation was started and its outcome never became known, for instance "
                    "because a connection to another party broke. It is neither repeated nor "
                    "declared failed by guessing. The member `resolution` tells who settles it: "
                    "`reconciler` (this server asks the other party) or `operator` (a person "
                    "decides).",
                .cure =
                    "Keep the key and send the same request later (Retry-After, where it is given); "
                    "once the doubt is settled, the answer is final. Never send the operation "
                    "again with a new key: it might happen twice.",
            },
            .portuguese = {
                .title = "Não se sabe se a operação teve efeito",
                .explanation =
                    "A operação foi iniciada e o seu resultado nunca chegou a ser conhecido, por "
                    "exemplo porque a conexão com outra parte caiu. Ela não é repetida nem dada "
                    "como falha por suposição. O membro `resolution` diz quem resolve: "
                    "`reconciler` (este servidor consulta a outra parte) ou `operator` (uma pessoa "
                    "decide).",
                .cure =
                    "Guarde a chave e envie a mesma requisição mais tarde (conforme Retry-After, "
                    "quando presente); resolvida a dúvida, a resposta é definitiva. Nunca envie a "
                    "operação de novo com outra chave: ela poderia acontecer duas vezes.",
            },
        },
        {
            .name = "idempotency-response-not-kept",
            .status = 409,
            .english = {
                .title = "The operation is done, but its answer was not kept",
                .explanation =
                    "The operation ran once and is final. Its answer was too large to keep, or an "
                    "operator settled it without one. `outcome` tells how it ended and "
                    "`stored_status` the status of the first answer, where it is known. Nothing "
                    "was executed again.",
                .cure = "Do not retry. Read the resource itself if you need its content.",
            },
            .portuguese = {
                .title = "A operação foi concluída, mas a resposta não foi guardada",
                .explanation =
                    "A operação foi executada uma vez e é definitiva. A resposta era grande demais "
                    "para ser guardada, ou um operador a resolveu sem resposta. `outcome` diz "
                    "como terminou e `stored_status` o status da primeira resposta, quando "
                    "conhecido. Nada foi executado de novo.",
                .cure = "Não tente de novo. Se precisar do conteúdo, leia o próprio recurso.",
            },
        },
        {
            .name = "idempotency-record-damaged",
            .status = 500,
            .english = {
                .title = "What was kept under this key is damaged",
                .explanation =
                    "The record of the first request failed its own checks. It is not served, and "
                    "the operation is not executed a second time.",
                .cure = "Tell the operator of this service the request_id. A retry will not help.",
            },
            .portuguese = {
                .title = "O que foi guardado sob esta chave está danificado",
                .explanation =
                    "O registro da primeira requisição não passou nas próprias verificações. Ele "
                    "não é devolvido, e a operação não é executada uma segunda vez.",
                .cure =
                    "Informe o request_id ao operador deste serviço. Tentar de novo não ajuda.",
            },
        },
        {
            .name = "store-unavailable",
            .status = 503,
            .has_retry_after = true,
            .english = {
                .title = "The store of records cannot be reached",
                .explanation =
                    "Without its record an operation cannot be protected, so it is not run. "
                    "`effect` tells what is known: `none` (nothing happened) or `unknown` "
                    "(something was sent, and the answer was lost).",
                .cure =
                    "Send the same request with the same key after Retry-After: the key makes sure "
                    "that the operation happens once. Where a request had no key and `effect` is "
                    "`unknown`, look whether it happened before you send it again.",
            },
            .portuguese = {
                .title = "O armazenamento de registros está fora de alcance",
                .explanation =
                    "Sem o seu registro uma operação não pode ser protegida; por isso ela não é "
                    "executada. `effect` diz o que se sabe: `none` (nada aconteceu) ou `unknown` "
                    "(algo foi enviado, e a resposta se perdeu).",
                .cure =
                    "Envie a mesma requisição com a mesma chave depois de Retry-After: a chave "
                    "garante que a operação aconteça uma única vez. Se a requisição não tinha "
                    "chave e `effect` é `unknown`, verifique se ela aconteceu antes de enviar de "
                    "novo.",
            },
        },
    };
    // clang-format on
}

}  // namespace umavez::key_protocol
