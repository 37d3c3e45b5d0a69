// POST and GET of documents.

#include "http/parameters.hpp"
#include "key_protocol/key_header.hpp"
#include "modules/fiscal/answers.hpp"
#include "modules/fiscal/documentos_table.hpp"
#include "modules/fiscal/input.hpp"
#include "modules/fiscal/schemas.hpp"
#include "modules/fiscal/tentativas_table.hpp"
#include "modules/parts/route_parts.hpp"

#include <utility>

namespace umavez::fiscal {

Response to_response(int status, const Documento& documento)
{
    return modules::entity_response(
        status, {"documentos-fiscais", documento.id, documento.versao}, to_json(documento)
    );
}

namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadAction;
using key_protocol::ReadRoute;

http::Field id_parameter()
{
    return modules::id_parameter("The document");
}

http::Schema nova_schema()
{
    return http::object(
               {
                   {.name = "tipo", .type = http::one_of(tipo_words())},
                   {.name = "xml",
                    .type = http::text({.max = xml_bytes_max}),
                    .description = "the signed document, byte for byte"},
                   {.name = "ambiente", .type = http::one_of(ambiente_words()), .required = false},
                   {.name = "emitente", .type = http::text(), .required = false},
                   {.name = "serie", .type = http::text({.max = 5}), .required = false},
                   {.name = "numero", .type = http::integer({.min = 1}), .required = false},
                   {.name = "municipio", .type = http::text({.max = 7}), .required = false},
                   {.name = "substitui",
                    .type = http::integer({.min = 1}),
                    .description =
                        "of an NFC-e that was issued off-line: the document in doubt whose place "
                        "it takes",
                    .required = false},
               }
    )
        .named("NovoDocumentoFiscal");
}

Task<OrProblem<http::Response>> post(std::shared_ptr<Counter> counter, const Exchange& exchange)
{
    auto key =
        key_protocol::parse_key_headers(exchange.request.headers, key_protocol::KeySyntax::lenient);
    if (!key) co_return std::unexpected(key.error());
    auto nova =
        read_nova(counter->module(), exchange.body, exchange.caller.tenant_id, exchange.language);
    if (!nova) co_return std::unexpected(nova.error());
    nova->key = *std::move(key);
    auto emitting = counter->emit(exchange.caller.tenant_id, *std::move(nova));
    co_return co_await std::move(emitting);
}

CallRoute emitir(const std::shared_ptr<Counter>& counter)
{
    http::Route route{.method = "POST", .pattern = "/api/v1/documentos-fiscais"};
    route.operation_id = "documentos.emitir";
    route.tag = tag();
    route.summary = "Emit a fiscal document once";
    route.description =
        "The natural key of the document (type, environment, issuer, series, number) is read from "
        "the XML "
        "and is what makes it safe to retry: a second request with the same document is answered "
        "with what "
        "the first one did. While nobody knows what became of a document the answer is 202, and "
        "only the "
        "same bytes are accepted under its number. What stands beside `xml` must agree with it.";
    route.headers = {
        {.name = "Idempotency-Key",
         .type = http::text({.max = 255}),
         .description =
             "Optional: kept with the document; the same key with another document is refused.",
         .required = false},
    };
    route.body = http::Body{
        .schema = nova_schema(), .example = R"({"tipo":"nfse-nacional","xml":"<DPS …>…</DPS>"})"
    };
    route.answers = {
        resultado_answer(201, "Authorised"),
        resultado_answer(
            200, "It was authorised before (`cache`), or is found to be (`conciliacao`)"
        ),
        resultado_answer(202, "Sent, and nobody knows yet what became of it"),
    };
    route.problems = {
        "validation",
        "numero-em-uso",
        "substituicao-impossivel",
        "idempotency-key-invalid",
        "idempotency-key-reused",
        "idempotency-in-progress",
        "documento-rejeitado",
        "documento-em-duvida",
        "estado-nao-permite",
        "autoridade-indisponivel",
        "autoridade-bloqueada",
        "autoridade-nao-configurada",
        "store-unavailable",
    };
    return {
        .route = std::move(route),
        .role = access::Role::writer,
        .call = [counter](const Exchange& exchange) { return post(counter, exchange); },
    };
}

ReadRoute mostrar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/documentos-fiscais/{id}"};
    route.operation_id = "documentos.mostrar";
    route.tag = tag();
    route.summary = "One fiscal document";
    route.path = {id_parameter()};
    route.answers = {
        {.status = 200,
         .description = "The document",
         .body = documento_schema(),
         .example = documento_example}
    };
    route.problems = {"not-found"};
    return modules::showing(std::move(route), "documento fiscal", find_documento);
}

ReadRoute listar()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/documentos-fiscais"};
    route.operation_id = "documentos.listar";
    route.tag = tag();
    route.summary = "Fiscal documents, page by page";
    route.query = modules::page_parameters();
    route.query.push_back(
        {.name = "estado", .type = http::one_of(estado_words()), .required = false}
    );
    route.query.push_back({.name = "tipo", .type = http::one_of(tipo_words()), .required = false});
    route.query.push_back({.name = "emitente", .type = http::text({.max = 14}), .required = false});
    route.query.push_back(
        {.name = "chave_acesso", .type = http::text({.max = 60}), .required = false}
    );
    route.answers = {modules::page_answer(documento_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) {
        DocumentoFilter filter;
        if (const auto estado = http::find_parameter(request, "estado")) {
            filter.estado = parse_estado(*estado);
        }
        if (const auto tipo = http::find_parameter(request, "tipo"))
            filter.tipo = parse_tipo(*tipo);
        if (const auto emitente = http::find_parameter(request, "emitente")) {
            filter.emitente = std::string{*emitente};
        }
        if (const auto chave = http::find_parameter(request, "chave_acesso")) {
            filter.chave_acesso = std::string{*chave};
        }
        return filter;
    };
    return modules::listing(std::move(route), read_filter, list_documentos);
}

Result<OrProblem<http::Response>> read_xml(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    const auto found = find_documento(transaction, tenant_id, id);
    if (!found) return std::unexpected(found.error());
    const auto digest = !*found                       ? std::nullopt
                        : (*found)->autorizado_sha256 ? (*found)->autorizado_sha256
                                                      : (*found)->xml_sha256;
    // A number that was only reserved has no bytes.
    if (!digest) {
        return OrProblem<http::Response>{
            std::unexpected(modules::not_found("XML of documento fiscal", id))
        };
    }
    auto xml = get_xml(transaction, id, *digest);
    if (!xml) return std::unexpected(xml.error());
    http::Response response{.status = 200, .headers = {}, .body = *std::move(xml)};
    response.headers.push_back({"Content-Type", "application/xml"});
    response.headers.push_back({"ETag", '"' + *digest + '"'});
    return OrProblem<http::Response>{std::move(response)};
}

ReadRoute mostrar_xml()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/documentos-fiscais/{id}/xml"};
    route.operation_id = "documentos.xml";
    route.tag = tag();
    route.summary = "The XML of a fiscal document";
    route.description = "What the authority gave back; before that, what was sent, byte for byte.";
    route.path = {id_parameter()};
    route.answers = {{.status = 200, .description = "The bytes", .media_type = "application/xml"}};
    route.problems = {"not-found"};
    ReadRoute read{.route = std::move(route)};
    read.prepare = [](const Exchange& exchange) -> OrProblem<ReadAction> {
        return [tenant_id = exchange.caller.tenant_id,
                id = http::get_integer(exchange.request, "id")](Transaction& transaction) {
            return read_xml(transaction, tenant_id, id);
        };
    };
    return read;
}

ReadRoute listar_tentativas()
{
    http::Route route{.method = "GET", .pattern = "/api/v1/documentos-fiscais/{id}/tentativas"};
    route.operation_id = "documentos.tentativas";
    route.tag = tag();
    route.summary = "The calls that were made for a fiscal document";
    route.path = {id_parameter()};
    route.query = modules::page_parameters();
    route.answers = {modules::page_answer(tentativa_schema())};
    route.problems = {"validation", "not-found"};
    ReadRoute read{.route = std::move(route)};
    read.prepare = [](const Exchange& exchange) -> OrProblem<ReadAction> {
        const auto page = modules::page_of(exchange);
        if (!page) return std::unexpected(page.error());
        return [&request = exchange.request,
                tenant_id = exchange.caller.tenant_id,
                id = http::get_integer(exchange.request, "id"),
                page = *page](Transaction& transaction) -> Result<OrProblem<http::Response>> {
            const auto found = find_documento(transaction, tenant_id, id);
            if (!found) return std::unexpected(found.error());
            if (!*found) {
                return OrProblem<http::Response>{
                    std::unexpected(modules::not_found("documento fiscal", id))
                };
            }
            const auto listed = list_tentativas(transaction, tenant_id, id, page);
            if (!listed) return std::unexpected(listed.error());
            return modules::to_page_response(*listed, request);
        };
    };
    return read;
}

}  // namespace

void add_document_routes(key_protocol::Api& api, const std::shared_ptr<Counter>& counter)
{
    api.add(emitir(counter));
    api.add(mostrar());
    api.add(listar());
    api.add(mostrar_xml());
    api.add(listar_tentativas());
}

}  // namespace umavez::fiscal
