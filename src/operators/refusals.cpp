#include "operators/refusals.hpp"

#include "key_protocol/outcome_problem.hpp"
#include "key_protocol/translated.hpp"

namespace umavez::operators {
namespace {

http::Problem make(std::string name, std::string english, std::string portuguese)
{
    http::Problem problem;
    problem.name = std::move(name);
    problem.detail = {std::move(english), std::move(portuguese)};
    return problem;
}

}  // namespace

std::vector<http::ProblemKind> problem_kinds()
{
    return {{
        .name = "record-not-changed",
        .status = 409,
        .english =
            {"The record was not changed",
             "Only keys that are in doubt or abandoned can be resolved; those, and failed ones, "
             "can be released. A "
             "key under a live lease belongs to its owner. Nothing was changed.",
             "Look at the record again, and act on what it is now."},
        .portuguese =
            {"O registro não foi alterado",
             "Só chaves em dúvida ou abandonadas podem ser resolvidas; essas, e as que falharam, "
             "podem ser "
             "liberadas. Uma chave com concessão ativa pertence a quem a executa. Nada foi "
             "alterado.",
             "Consulte o registro de novo e decida pelo que ele é agora."},
    }};
}

http::Problem problem_of(const Error& error)
{
    const bool is_absent = error.code == Errc::not_found;
    if (!is_absent && error.code != Errc::invalid_argument) return key_protocol::problem_of(error);
    http::Text told = key_protocol::translated(error.detail);
    const std::string_view name = is_absent ? "not-found" : "record-not-changed";
    http::Problem problem =
        make(std::string{name}, std::move(told.english), std::move(told.portuguese));
    problem.cause = error.detail;
    return problem;
}

http::Problem not_found(const std::string& what)
{
    http::Text told = key_protocol::translated("There is no " + what + ".");
    return make("not-found", std::move(told.english), std::move(told.portuguese));
}

http::Problem wrong_field(
    const std::string& field, const std::string& message, http::Language language
)
{
    const std::vector<http::FieldError> errors{
        {.field = field, .message = key_protocol::translated(message)}
    };
    return http::validation_problem(errors, language);
}

std::optional<http::Problem> refuse_tenant(const access::Caller& caller, const TenantId& tenant)
{
    if (caller.may_see(tenant)) return std::nullopt;
    return make(
        "forbidden",
        "Your token looks after tenant " + caller.tenant_id.text() + " only.",
        "Seu token cuida apenas do inquilino " + caller.tenant_id.text() + "."
    );
}

std::optional<http::Problem> refuse_unless_all_tenants(const access::Caller& caller)
{
    if (caller.all_tenants) return std::nullopt;
    return make(
        "forbidden",
        "This concerns every tenant: it needs an operator's token for tenant *.",
        "Isto afeta todos os inquilinos: exige um token de operador para o inquilino *."
    );
}

}  // namespace umavez::operators
