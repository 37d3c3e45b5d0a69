// The kinds of errors that only this module knows, in words for people.

#include "modules/propostas/answers.hpp"

namespace umavez::propostas {

std::vector<http::ProblemKind> problem_kinds()
{
    // clang-format off: sentences are wrapped as text, not as code.
    return {
        {
            .name = "email-existente",
            .status = 409,
            .english = {
                .title = "There is already a client with this e-mail",
                .explanation =
                    "E-mail addresses of clients are unique, and this one belongs to a client that "
                    "was created with another key or without one. Nothing was changed.",
                .cure = "Look the client up by its e-mail, or use another address.",
            },
            .portuguese = {
                .title = "Já existe um cliente com este e-mail",
                .explanation =
                    "O e-mail de um cliente é único, e este pertence a um cliente criado com outra "
                    "chave ou sem chave. Nada foi alterado.",
                .cure = "Busque o cliente pelo e-mail ou use outro endereço.",
            },
        },
    };
    // clang-format on
}

}  // namespace umavez::propostas
