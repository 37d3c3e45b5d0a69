#include "modules/fiscal/numbering/answers.hpp"

#include "http/validation.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace umavez::fiscal {
namespace {

// Names of series come from clients: they are told as members, never inside of a sentence.
http::Problem about(std::string name, const Faixa& faixa, http::Text detail)
{
    return {
        .name = std::move(name),
        .detail = std::move(detail),
        .members =
            {
                http::number_member("faixa_id", faixa.id),
                http::text_member("serie", faixa.serie.serie),
                http::number_member("ultimo_numero", faixa.ultimo_numero),
            },
    };
}

}  // namespace

Response to_response(int status, const Faixa& faixa)
{
    return modules::entity_response(
        status, {"numeracao/faixas", faixa.id, faixa.versao}, to_json(faixa)
    );
}

http::Problem range_exists(const Faixa& faixa)
{
    return about(
        "faixa-existente",
        faixa,
        {fmt::format("the series has range {}", faixa.id),
         fmt::format("a série já tem a faixa {}", faixa.id)}
    );
}

http::Problem no_range(const Serie& serie)
{
    return {
        .name = "faixa-inexistente",
        .members =
            {
                http::text_member("tipo", to_text(serie.tipo)),
                http::text_member("ambiente", to_text(serie.ambiente)),
                http::text_member("emitente", serie.emitente),
                http::text_member("serie", serie.serie),
            },
    };
}

http::Problem series_is_blocked(const Faixa& faixa)
{
    return about(
        "serie-bloqueada",
        faixa,
        {fmt::format("range {} is blocked and gives out no numbers", faixa.id),
         fmt::format("a faixa {} está bloqueada e não fornece números", faixa.id)}
    );
}

http::Problem no_numbers_left(const Faixa& faixa)
{
    http::Problem problem = about(
        "numeracao-esgotada",
        faixa,
        {fmt::format("{} was the last number of range {}", faixa.numero_max, faixa.id),
         fmt::format("{} foi o último número da faixa {}", faixa.numero_max, faixa.id)}
    );
    problem.members.push_back(http::number_member("numero_max", faixa.numero_max));
    return problem;
}

http::Problem numbers_in_use(const Faixa& faixa, std::int64_t maior_numero)
{
    http::Problem problem = about(
        "numeracao-inconsistente",
        faixa,
        {fmt::format(
             "range {} says that {} was the last number, but {} is in use",
             faixa.id,
             faixa.ultimo_numero,
             maior_numero
         ),
         fmt::format(
             "a faixa {} diz que {} foi o último número, mas {} está em uso",
             faixa.id,
             faixa.ultimo_numero,
             maior_numero
         )}
    );
    problem.members.push_back(http::number_member("maior_numero", maior_numero));
    return problem;
}

http::Problem not_reserved(const Faixa& faixa)
{
    return about(
        "numero-nao-reservado",
        faixa,
        {fmt::format("the last number that range {} gave out is {}", faixa.id, faixa.ultimo_numero),
         fmt::format("o último número que a faixa {} forneceu é {}", faixa.id, faixa.ultimo_numero)}
    );
}

http::Problem number_of_another(const Faixa& faixa, std::int64_t numero)
{
    return about(
        "numero-nao-reservado",
        faixa,
        {fmt::format("number {} of range {} belongs to another document", numero, faixa.id),
         fmt::format("o número {} da faixa {} pertence a outro documento", numero, faixa.id)}
    );
}

http::Problem not_your_issuer(http::Language language)
{
    return http::validation_problem(
        {{"emitente",
          {"is not an issuer of yours: it needs a certificate in the settings of the server",
           "não é um emitente seu: falta o certificado na configuração do servidor"}}},
        language
    );
}

}  // namespace umavez::fiscal
