#include "modules/propostas/answers.hpp"
#include "modules/propostas/propostas_service.hpp"
#include "modules/propostas/propostas_table.hpp"
#include "modules/propostas/route_parts.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::propostas {
namespace {

using key_protocol::AtomicAction;
using key_protocol::AtomicRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadRoute;
using modules::id_parameter;
using modules::if_match_field;
using modules::listing;
using modules::origin_of;
using modules::page_answer;
using modules::page_parameters;
using modules::showing;
using modules::versao_field;

http::Answer proposta_answer(
    int status, std::string description, std::string example = proposta_example("rascunho", 1)
)
{
    return {
        .status = status,
        .description = std::move(description),
        .body = proposta_schema(),
        .example = std::move(example),
        .headers = {{.name = "ETag", .type = http::text(), .description = "the version"}},
    };
}

// What a step of the examples leads to.
std::string example_after(Passo passo)
{
    switch (passo) {
        case Passo::alterar: return proposta_example("rascunho", 2, "1750.50");
        case Passo::submeter: return proposta_example("enviada", 2);
        case Passo::aceitar: return proposta_example("aceita", 3);
        case Passo::recusar: return proposta_example("recusada", 3);
        case Passo::cancelar: return proposta_example("cancelada", 2);
    }
    return {};
}

AtomicRoute criar()
{
    http::Route route{.method = "POST", .pattern = "/api/v1/propostas"};
    route.operation_id = "propostas.criar";
    route.tag = "Propostas";
    route.summary = "Create a proposal";
    route.description =
        "It begins in `rascunho` with `versao` 1. A retry with the same key shows the proposal as "
        "it is now, "
        "with the `valor` of the first request.";
    route.body = http::Body{
        .schema = http::object({
                                   {.name = "cliente_id", .type = http::integer({.min = 1})},
                                   {.name = "valor", .type = http::money()},
                               })
                      .named("NovaProposta"),
        .example = R"({"cliente_id":1,"valor":1500.00})"
    };
    route.answers = {
        proposta_answer(201, "Created"), proposta_answer(200, "Replayed: the proposal as it is now")
    };
    route.problems = {"validation", "entity-deleted"};
    return {
        .route = std::move(route),
        .operation = propostas_criar(),
        .prepare = [](const Exchange& exchange) -> OrProblem<AtomicAction> {
            const auto nova = read_nova_proposta(exchange.body, exchange.language);
            if (!nova) return std::unexpected(nova.error());
            return criar_proposta(origin_of(exchange), *nova);
        },
    };
}

OrProblem<AtomicAction> prepare_step(
    const Exchange& exchange,
    Passo passo,
    std::optional<std::int64_t> versao,
    std::optional<Money> valor,
    std::optional<Duration> retention
)
{
    auto expected =
        key_protocol::read_expected_version(exchange.request.headers, versao, exchange.language);
    if (!expected) return std::unexpected(std::move(expected).error());
    Step step{
        .proposta_id = http::get_integer(exchange.request, "id"),
        .passo = passo,
        .expected = *std::move(expected),
        .valor = valor,
        .retention = retention,
    };
    return dar_passo(origin_of(exchange), std::move(step));
}

AtomicRoute alterar(const Settings& settings)
{
    http::Route route{.method = "PATCH", .pattern = "/api/v1/propostas/{id}"};
    route.operation_id = "propostas.alterar";
    route.tag = "Propostas";
    route.summary = "Change the amount of a draft";
    route.path = {id_parameter("The proposal")};
    route.body = http::Body{
        .schema = http::object({{.name = "valor", .type = http::money()}, versao_field()})
                      .named("PropostaChanges"),
        .example = R"({"valor":1750.50,"versao":1})"
    };
    route.headers = {if_match_field()};
    route.answers = {
        proposta_answer(200, "The proposal as it is now", example_after(Passo::alterar))
    };
    route.problems = {
        "validation", "not-found", "version-conflict", "invalid-transition", "entity-deleted"
    };
    return {
        .route = std::move(route),
        .operation = propostas_passo(Passo::alterar, settings),
        .prepare = [retention = settings.retencao_operacoes](const Exchange& exchange
                   ) -> OrProblem<AtomicAction> {
            const auto changes = read_proposta_changes(exchange.body, exchange.language);
            if (!changes) return std::unexpected(changes.error());
            return prepare_step(
                exchange, Passo::alterar, changes->versao, changes->valor, retention
            );
        },
    };
}

AtomicRoute passo_route(Passo passo, std::string summary, const Settings& settings)
{
    const bool is_second = passo == Passo::aceitar || passo == Passo::recusar;
    http::Route route{
        .method = "POST", .pattern = fmt::format("/api/v1/propostas/{{id}}/{}", to_text(passo))
    };
    route.operation_id = fmt::format("propostas.{}", to_text(passo));
    route.tag = "Propostas";
    route.summary = std::move(summary);
    route.description =
        "A retry with the same key does nothing again and shows the proposal as it is now, "
        "whatever its "
        "version.";
    route.path = {id_parameter("The proposal")};
    route.body = http::Body{
        .schema = modules::versao_schema(),
        .example = is_second ? R"({"versao":2})" : R"({"versao":1})",
        .required = false,  // with If-Match
    };
    route.headers = {if_match_field()};
    route.answers = {proposta_answer(200, "The proposal as it is now", example_after(passo))};
    route.problems = {
        "validation", "not-found", "version-conflict", "invalid-transition", "entity-deleted"
    };
    return {
        .route = std::move(route),
        .operation = propostas_passo(passo, settings),
        .prepare = [passo, retention = settings.retencao_operacoes](const Exchange& exchange
                   ) -> OrProblem<AtomicAction> {
            const auto versao = modules::read_versao(exchange.body, exchange.language);
            if (!versao) return std::unexpected(versao.error());
            return prepare_step(exchange, passo, *versao, std::nullopt, retention);
        },
    };
}

ReadRoute mostrar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/propostas/{id}"};
    route.operation_id = "propostas.mostrar";
    route.tag = "Propostas";
    route.summary = "One proposal";
    route.path = {id_parameter("The proposal")};
    route.answers = {proposta_answer(200, "The proposal")};
    route.problems = {"not-found"};
    return showing(std::move(route), "proposta", find_proposta);
}

ReadRoute listar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/propostas"};
    route.operation_id = "propostas.listar";
    route.tag = "Propostas";
    route.summary = "Proposals, page by page";
    route.query = page_parameters();
    route.query.push_back(
        {.name = "cliente_id", .type = http::integer({.min = 1}), .required = false}
    );
    route.query.push_back(
        {.name = "estado", .type = http::one_of(estado_words()), .required = false}
    );
    route.answers = {page_answer(proposta_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) {
        PropostaFilter filter{.cliente_id = http::find_integer(request, "cliente_id")};
        if (const auto estado = http::find_parameter(request, "estado")) {
            filter.estado = parse_estado(*estado);
        }
        return filter;
    };
    return listing(std::move(route), read_filter, list_propostas);
}

}  // namespace

void add_proposta_routes(key_protocol::Api& api, const Settings& settings)
{
    api.add(criar());
    api.add(alterar(settings));
    api.add(passo_route(Passo::submeter, "Submit a draft", settings));
    api.add(passo_route(Passo::aceitar, "Accept a submitted proposal", settings));
    api.add(passo_route(Passo::recusar, "Refuse a submitted proposal", settings));
    api.add(passo_route(Passo::cancelar, "Cancel a draft or a submitted proposal", settings));
    api.add(mostrar());
    api.add(listar());
    api.add(historico_route());
}

}  // namespace umavez::propostas
