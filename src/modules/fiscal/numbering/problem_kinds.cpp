// The kinds of errors that only numbering knows, in words for people.

#include "modules/fiscal/numbering/answers.hpp"

namespace umavez::fiscal {

std::vector<http::ProblemKind> numbering_problem_kinds()
{
    // clang-format off: sentences are wrapped as text, not as code.
    return {
        {
            .name = "faixa-existente",
            .status = 409,
            .english = {
                .title = "The series has its numbers already",
                .explanation =
                    "A series of an issuer has one range of numbers for each type and environment, and "
                    "`faixa_id` names it. It was made with another key. Nothing was changed.",
                .cure = "Use that range; its numbers go on after `ultimo_numero`.",
            },
            .portuguese = {
                .title = "A série já tem sua faixa de numeração",
                .explanation =
                    "Uma série de um emitente tem uma faixa de numeração por tipo e ambiente, que `faixa_id` "
                    "indica. Ela foi criada com outra chave. Nada foi alterado.",
                .cure = "Use essa faixa; seus números continuam depois de `ultimo_numero`.",
            },
        },
        {
            .name = "faixa-inexistente",
            .status = 422,
            .english = {
                .title = "The series has no range of numbers",
                .explanation =
                    "Numbers are reserved from a range, and this series has none. Nothing was changed.",
                .cure =
                    "Make one with POST /api/v1/numeracao/faixas, with the last number that was used "
                    "elsewhere as `ultimo_numero`; then reserve with a new key.",
            },
            .portuguese = {
                .title = "A série não tem faixa de numeração",
                .explanation =
                    "Números são reservados de uma faixa, e esta série não tem nenhuma. Nada foi alterado.",
                .cure =
                    "Crie uma com POST /api/v1/numeracao/faixas, com o último número já usado em "
                    "`ultimo_numero`; depois reserve com uma chave nova.",
            },
        },
        {
            .name = "serie-bloqueada",
            .status = 409,
            .english = {
                .title = "The series is blocked",
                .explanation =
                    "Somebody blocked this series: it gives out no numbers until it is released. No number "
                    "was taken.",
                .cure =
                    "Release it with PATCH /api/v1/numeracao/faixas/{id} {\"bloqueado\": false}, or use "
                    "another series.",
            },
            .portuguese = {
                .title = "A série está bloqueada",
                .explanation =
                    "Alguém bloqueou esta série: ela não fornece números até ser liberada. Nenhum número foi "
                    "usado.",
                .cure =
                    "Libere-a com PATCH /api/v1/numeracao/faixas/{id} {\"bloqueado\": false}, ou use outra "
                    "série.",
            },
        },
        {
            .name = "numero-nao-reservado",
            .status = 409,
            .english = {
                .title = "The number was not reserved",
                .explanation =
                    "This series is numbered here, and has not come as far as this number, or gave it to "
                    "another document. Nothing was sent and nothing was stored.",
                .cure =
                    "Reserve a number with POST /api/v1/numeracao/reservas, and build the document with it.",
            },
            .portuguese = {
                .title = "O número não foi reservado",
                .explanation =
                    "Esta série é numerada aqui e ainda não chegou a este número, ou já o deu a outro "
                    "documento. Nada foi enviado nem guardado.",
                .cure =
                    "Reserve um número com POST /api/v1/numeracao/reservas e monte o documento com ele.",
            },
        },
        {
            .name = "numeracao-esgotada",
            .status = 422,
            .english = {
                .title = "The series has no numbers left",
                .explanation =
                    "The printed document has no room for a larger number (`numero_max`), and numbers are "
                    "never given out twice. No number was taken.",
                .cure = "Go on with another series.",
            },
            .portuguese = {
                .title = "A numeração da série se esgotou",
                .explanation =
                    "O documento impresso não comporta um número maior (`numero_max`), e números nunca são "
                    "fornecidos duas vezes. Nenhum número foi usado.",
                .cure = "Continue com outra série.",
            },
        },
        {
            .name = "numeracao-inconsistente",
            .status = 409,
            .english = {
                .title = "The series has documents beyond its last number",
                .explanation =
                    "There is a document with the number `maior_numero`, but the range says that less were "
                    "given out (`ultimo_numero`): it was restored from a copy or changed by hand. The next "
                    "number would be one that is in use, so none was taken.",
                .cure =
                    "Find out what happened to the table, then set the range right with PATCH "
                    "/api/v1/numeracao/faixas/{id} {\"ultimo_numero\": maior_numero}.",
            },
            .portuguese = {
                .title = "A série tem documentos além do seu último número",
                .explanation =
                    "Há um documento com o número `maior_numero`, mas a faixa diz que foram fornecidos menos "
                    "(`ultimo_numero`): ela foi restaurada de uma cópia ou alterada à mão. O próximo número "
                    "já estaria em uso; por isso nenhum foi usado.",
                .cure =
                    "Descubra o que houve com a tabela e corrija a faixa com PATCH "
                    "/api/v1/numeracao/faixas/{id} {\"ultimo_numero\": maior_numero}.",
            },
        },
    };
    // clang-format on
}

}  // namespace umavez::fiscal
