// The problems of the HTTP server itself.

#include "http/problem_catalogue.hpp"

namespace umavez::http {
namespace {

std::vector<ProblemKind> refused_requests()
{
    // clang-format off: sentences are wrapped as text, not as code.
    return {
        {
            .name = "malformed-request",
            .status = 400,
            .english = {
                .title = "The request is malformed",
                .explanation =
                    "The request line, a header or the framing of the body breaks the rules of "
                    "HTTP.",
                .cure = "The detail names the rule.",
            },
            .portuguese = {
                .title = "A requisição está malformada",
                .explanation =
                    "A linha da requisição, um cabeçalho ou a delimitação do corpo viola as regras "
                    "do HTTP.",
                .cure = "O detalhe diz qual regra.",
            },
        },
        {
            .name = "unauthorized",
            .status = 401,
            .english = {
                .title = "A valid token is needed",
                .explanation =
                    "The request carries no token, or one that is unknown, expired or revoked.",
                .cure =
                    "Send Authorization: Bearer with a token of your tenant. The same key may be "
                    "used.",
            },
            .portuguese = {
                .title = "É preciso um token válido",
                .explanation =
                    "A requisição não traz token, ou traz um desconhecido, expirado ou revogado.",
                .cure =
                    "Envie Authorization: Bearer com um token do seu tenant. A mesma chave pode "
                    "ser usada.",
            },
        },
        {
            .name = "forbidden",
            .status = 403,
            .english = {
                .title = "This token may not do that",
                .explanation = "The token is valid, but its role does not cover this request.",
                .cure = "Use a token with a sufficient role: writer to write, operator for /ops.",
            },
            .portuguese = {
                .title = "Este token não permite isso",
                .explanation = "O token é válido, mas o seu papel não cobre esta requisição.",
                .cure =
                    "Use um token com papel suficiente: writer para escrever, operator para /ops.",
            },
        },
        {
            .name = "not-found",
            .status = 404,
            .english = {
                .title = "Nothing is here",
                .explanation =
                    "The path leads nowhere, or the resource does not exist for your tenant.",
                .cure = "Check the path and the identifier.",
            },
            .portuguese = {
                .title = "Não há nada aqui",
                .explanation =
                    "O caminho não leva a nada, ou o recurso não existe para o seu tenant.",
                .cure = "Confira o caminho e o identificador.",
            },
        },
        {
            .name = "method-not-allowed",
            .status = 405,
            .english = {
                .title = "This resource does not take that method",
                .explanation = "The path exists, but not for this method.",
                .cure = "The Allow header lists the methods.",
            },
            .portuguese = {
                .title = "Este recurso não aceita esse método",
                .explanation = "O caminho existe, mas não para este método.",
                .cure = "O cabeçalho Allow lista os métodos.",
            },
        },
        {
            .name = "request-timeout",
            .status = 408,
            .english = {
                .title = "The request did not arrive in time",
                .explanation =
                    "Headers or body arrived too slowly and the connection was closed. Nothing was "
                    "executed.",
                .cure = "Send it again, with the same key.",
            },
            .portuguese = {
                .title = "A requisição não chegou a tempo",
                .explanation =
                    "Os cabeçalhos ou o corpo chegaram devagar demais e a conexão foi fechada. "
                    "Nada foi executado.",
                .cure = "Envie de novo, com a mesma chave.",
            },
        },
        {
            .name = "too-large",
            .status = 413,
            .english = {
                .title = "The body is too large",
                .explanation = "The body is larger than this server accepts.",
                .cure = "Send less in one request.",
            },
            .portuguese = {
                .title = "O corpo é grande demais",
                .explanation = "O corpo é maior do que este servidor aceita.",
                .cure = "Envie menos por requisição.",
            },
        },
        {
            .name = "unsupported-media-type",
            .status = 415,
            .english = {
                .title = "The body has a type this resource does not take",
                .explanation =
                    "The Content-Type is missing, cannot be read or is not accepted here, JSON "
                    "names a charset other than UTF-8, or the body is compressed "
                    "otherwise than with gzip (Content-Encoding).",
                .cure =
                    "Send the type that the documentation of the resource names, plain or with "
                    "gzip. The same key may be used again.",
            },
            .portuguese = {
                .title = "O corpo tem um tipo que este recurso não aceita",
                .explanation =
                    "O Content-Type falta, não pode ser lido ou não é aceito aqui, o JSON indica "
                    "um charset diferente de UTF-8, ou o corpo está comprimido de outro modo que "
                    "gzip (Content-Encoding).",
                .cure =
                    "Envie o tipo indicado na documentação do recurso, puro ou com gzip. A mesma "
                    "chave pode ser usada de novo.",
            },
        },
        {
            .name = "expectation-failed",
            .status = 417,
            .english = {
                .title = "The expectation cannot be met",
                .explanation = "The Expect header asks for something other than 100-continue.",
                .cure = "Leave the header out.",
            },
            .portuguese = {
                .title = "A expectativa não pode ser atendida",
                .explanation = "O cabeçalho Expect pede algo diferente de 100-continue.",
                .cure = "Remova o cabeçalho.",
            },
        },
        {
            .name = "validation",
            .status = 422,
            .english = {
                .title = "Some fields are not valid",
                .explanation =
                    "The request was read, but a member of its body or a parameter breaks a rule. "
                    "`errors` lists each field with a message. Nothing was executed.",
                .cure =
                    "Correct the fields. The same key may be used again, unless the answer carries "
                    "Idempotency-Key-Expires: then the refusal was kept, and a corrected request "
                    "needs a new key.",
            },
            .portuguese = {
                .title = "Alguns campos não são válidos",
                .explanation =
                    "A requisição foi lida, mas um membro do corpo ou um parâmetro viola alguma "
                    "regra. `errors` lista cada campo com uma mensagem. Nada foi executado.",
                .cure =
                    "Corrija os campos. A mesma chave pode ser usada de novo, a não ser que a "
                    "resposta traga Idempotency-Key-Expires: então a recusa foi guardada, e a "
                    "requisição corrigida precisa de uma chave nova.",
            },
        },
        {
            .name = "headers-too-large",
            .status = 431,
            .english = {
                .title = "The header block is too large",
                .explanation = "All header lines together are larger than this server accepts.",
                .cure = "Send fewer or shorter headers.",
            },
            .portuguese = {
                .title = "O bloco de cabeçalhos é grande demais",
                .explanation =
                    "As linhas de cabeçalho juntas são maiores do que este servidor aceita.",
                .cure = "Envie cabeçalhos menores ou em menor número.",
            },
        },
    };
    // clang-format on
}

std::vector<ProblemKind> server_trouble()
{
    // clang-format off: sentences are wrapped as text, not as code.
    return {
        {
            .name = "internal-error",
            .status = 500,
            .english = {
                .title = "The server made a mistake",
                .explanation =
                    "Something went wrong that should not. If the request carried a key, its "
                    "record tells whether the operation took effect.",
                .cure =
                    "Send the same request with the same key. If it goes on, tell the operator the "
                    "request_id.",
            },
            .portuguese = {
                .title = "O servidor cometeu um erro",
                .explanation =
                    "Aconteceu algo que não deveria. Se a requisição trazia uma chave, o registro "
                    "dela diz se a operação teve efeito.",
                .cure =
                    "Envie a mesma requisição com a mesma chave. Se persistir, informe o "
                    "request_id ao operador.",
            },
        },
        {
            .name = "not-implemented",
            .status = 501,
            .english = {
                .title = "The request needs what this server does not have",
                .explanation = "For instance a transfer coding other than chunked.",
                .cure = "The detail names it.",
            },
            .portuguese = {
                .title = "A requisição exige algo que este servidor não tem",
                .explanation =
                    "Por exemplo, uma codificação de transferência diferente de chunked.",
                .cure = "O detalhe diz o que é.",
            },
        },
        {
            .name = "unavailable",
            .status = 503,
            .has_retry_after = true,
            .english = {
                .title = "The server cannot answer now",
                .explanation =
                    "The server is starting, stopping or at one of its limits. Nothing was "
                    "executed.",
                .cure = "Send the same request with the same key a little later.",
            },
            .portuguese = {
                .title = "O servidor não pode responder agora",
                .explanation =
                    "O servidor está iniciando, parando ou em um dos seus limites. Nada foi "
                    "executado.",
                .cure = "Envie a mesma requisição com a mesma chave um pouco mais tarde.",
            },
        },
        {
            .name = "version-not-supported",
            .status = 505,
            .english = {
                .title = "The HTTP version is not supported",
                .explanation = "This server speaks HTTP/1.1 and HTTP/1.0.",
                .cure = "Use HTTP/1.1.",
            },
            .portuguese = {
                .title = "A versão do HTTP não é suportada",
                .explanation = "Este servidor fala HTTP/1.1 e HTTP/1.0.",
                .cure = "Use HTTP/1.1.",
            },
        },
    };
    // clang-format on
}

}  // namespace

std::vector<ProblemKind> server_problems()
{
    std::vector<ProblemKind> kinds = refused_requests();
    for (ProblemKind& kind : server_trouble()) kinds.push_back(std::move(kind));
    return kinds;
}

}  // namespace umavez::http
