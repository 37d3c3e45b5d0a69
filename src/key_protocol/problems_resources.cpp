// Problems of bodies and of the resources behind the routes, common to all modules.

#include "key_protocol/problems.hpp"

namespace umavez::key_protocol {

std::vector<http::ProblemKind> resource_problems()
{
    // clang-format off: sentences are wrapped as text, not as code.
    return {
        {
            .name = "malformed-body",
            .status = 400,
            .english = {
                .title = "The body cannot be read",
                .explanation =
                    "The body is not what its Content-Type says: JSON with a mistake, the same "
                    "member twice, a number beyond a double (1e400), more than 64 levels, a form "
                    "or a multipart body that breaks off. The detail tells the place. Nothing was "
                    "executed and the key was not used.",
                .cure = "Correct the body. The same key may be used again.",
            },
            .portuguese = {
                .title = "O corpo não pode ser lido",
                .explanation =
                    "O corpo não é o que o Content-Type diz: JSON com erro, o mesmo membro duas "
                    "vezes, um número além de um double (1e400), mais de 64 níveis, um formulário "
                    "ou multipart interrompido. O detalhe diz o lugar. Nada foi executado e a "
                    "chave não foi usada.",
                .cure = "Corrija o corpo. A mesma chave pode ser usada de novo.",
            },
        },
        {
            .name = "version-conflict",
            .status = 409,
            .status_otherwise = 412,
            .english = {
                .title = "The resource has changed meanwhile",
                .explanation =
                    "The version that was sent (`versao` in the body: 409, If-Match: 412) is not "
                    "the current one, which the answer tells. Nothing was changed. A retry of "
                    "one's own successful request never gets this answer if it carries the same "
                    "key.",
                .cure =
                    "Read the resource, decide again, and send the change with the current "
                    "version.",
            },
            .portuguese = {
                .title = "O recurso foi alterado nesse meio-tempo",
                .explanation =
                    "A versão enviada (`versao` no corpo: 409, If-Match: 412) não é a atual, que a "
                    "resposta informa. Nada foi alterado. A repetição de uma requisição própria "
                    "bem-sucedida nunca recebe esta resposta se usar a mesma chave.",
                .cure = "Leia o recurso, decida de novo e envie a alteração com a versão atual.",
            },
        },
        {
            .name = "invalid-transition",
            .status = 409,
            .english = {
                .title = "The current state does not allow this step",
                .explanation =
                    "The resource is in a state (`estado`) from which the requested step does not "
                    "lead on. Nothing was changed.",
                .cure = "Read the resource and see which steps its state allows.",
            },
            .portuguese = {
                .title = "O estado atual não permite este passo",
                .explanation =
                    "O recurso está em um estado (`estado`) a partir do qual o passo pedido não é "
                    "possível. Nada foi alterado.",
                .cure = "Leia o recurso e veja quais passos o estado permite.",
            },
        },
        {
            .name = "entity-deleted",
            .status = 410,
            .english = {
                .title = "What this key created no longer exists",
                .explanation =
                    "The operation was done earlier; what it created or changed has been deleted "
                    "since. It is not created a second time.",
                .cure = "To create it anew, send the request with a new key.",
            },
            .portuguese = {
                .title = "O que esta chave criou não existe mais",
                .explanation =
                    "A operação já foi feita; o que ela criou ou alterou foi excluído depois. Nada "
                    "é criado uma segunda vez.",
                .cure = "Para criar de novo, envie a requisição com uma chave nova.",
            },
        },
    };
    // clang-format on
}

}  // namespace umavez::key_protocol
