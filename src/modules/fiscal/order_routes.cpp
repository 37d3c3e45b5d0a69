// What can be asked for a document that is there: to be cancelled, to be looked into.

#include "http/parameters.hpp"
#include "modules/fiscal/answers.hpp"
#include "modules/fiscal/input.hpp"
#include "modules/fiscal/schemas.hpp"
#include "modules/parts/route_parts.hpp"

#include <utility>

namespace umavez::fiscal {
namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;

Task<OrProblem<http::Response>> cancel(std::shared_ptr<Counter> counter, const Exchange& exchange)
{
    auto justificativa = read_justificativa(exchange.body, exchange.language);
    if (!justificativa) co_return std::unexpected(justificativa.error());
    auto cancelling = counter->cancel(
        exchange.caller.tenant_id,
        http::get_integer(exchange.request, "id"),
        *std::move(justificativa)
    );
    co_return co_await std::move(cancelling);
}

CallRoute cancelar(const std::shared_ptr<Counter>& counter)
{
    http::Route route{.method = "POST", .pattern = "/api/v1/documentos-fiscais/{id}/cancelar"};
    route.operation_id = "documentos.cancelar";
    route.tag = tag();
    route.summary = "Cancel a fiscal document once";
    route.description =
        "Safe to retry without a key: a document is cancelled once, and whoever asks again is told "
        "so. While "
        "nobody knows whether the event was registered, or the tax office looks at it, the answer "
        "is 202.";
    route.path = {modules::id_parameter("The document")};
    route.body = http::Body{
        .schema = http::object(
                      {{.name = "justificativa",
                        .type = http::text({.max = justificativa_max, .min = justificativa_min})}}
        ).named("CancelamentoFiscal"),
        .example = R"({"justificativa":"Serviço não prestado ao tomador"})",
    };
    route.answers = {
        resultado_answer(200, "Cancelled, now or before"),
        resultado_answer(202, "Asked for, and not decided yet"),
    };
    route.problems = {
        "validation",
        "not-found",
        "idempotency-in-progress",
        "cancelamento-recusado",
        "estado-nao-permite",
        "autoridade-indisponivel",
        "autoridade-bloqueada",
        "autoridade-nao-configurada",
        "store-unavailable",
    };
    return {
        .route = std::move(route),
        .role = access::Role::writer,
        .call = [counter](const Exchange& exchange) { return cancel(counter, exchange); },
    };
}

Task<OrProblem<http::Response>> reconcile(
    std::shared_ptr<Counter> counter, const Exchange& exchange
)
{
    auto asking =
        counter->reconcile(exchange.caller.tenant_id, http::get_integer(exchange.request, "id"));
    co_return co_await std::move(asking);
}

CallRoute conciliar(const std::shared_ptr<Counter>& counter)
{
    http::Route route{.method = "POST", .pattern = "/api/v1/documentos-fiscais/{id}/conciliar"};
    route.operation_id = "documentos.conciliar";
    route.tag = tag();
    route.summary = "Ask the authority what became of a fiscal document";
    route.description =
        "At once, within the rate guard. What the authority says prevails. A document in doubt "
        "that is not there, "
        "and was not on its way any more, is sent again, byte for byte; of one that was refused or "
        "only reserved it "
        "is told (`sucesso` false, `effect` none). Final documents are answered from the table.";
    route.path = {modules::id_parameter("The document")};
    route.answers = {
        resultado_answer(200, "It is known"),
        resultado_answer(202, "Nobody knows yet"),
    };
    route.problems = {
        "not-found",
        "autoridade-indisponivel",
        "autoridade-bloqueada",
        "autoridade-nao-configurada",
        "store-unavailable",
    };
    return {
        .route = std::move(route),
        .role = access::Role::writer,
        .call = [counter](const Exchange& exchange) { return reconcile(counter, exchange); },
    };
}

}  // namespace

void add_order_routes(key_protocol::Api& api, const std::shared_ptr<Counter>& counter)
{
    api.add(cancelar(counter));
    api.add(conciliar(counter));
}

}  // namespace umavez::fiscal
