#include "app/document_routes.hpp"

#include "app/version.hpp"
#include "http/accept.hpp"
#include "http/docs_page.hpp"
#include "http/openapi.hpp"
#include "http/parameters.hpp"
#include "http/problem_pages.hpp"

#include <array>
#include <memory>
#include <utility>

namespace umavez {
namespace {

using http::ProblemCatalogue;
using http::Request;
using http::Response;

bool wants_html(const Request& request)
{
    constexpr std::array<std::string_view, 2> offered{"application/json", "text/html"};
    return http::choose_media_type(request.headers, offered) == 1;
}

// A page for people, its words for programs.
Response negotiated(const Request& request, Response page, std::string json)
{
    Response response =
        wants_html(request) ? std::move(page) : http::json_response(200, std::move(json) + "\n");
    response.headers.push_back({"Vary", "Accept, Accept-Language"});
    return response;
}

Response problem(const ProblemCatalogue& problems, const Request& request)
{
    const auto* const kind = problems.find(http::get_parameter(request, "name"));
    if (kind == nullptr) return http::to_response(http::problem_for(404), request);
    return negotiated(
        request,
        http::problem_page(*kind),
        http::problem_json(*kind, http::choose_language(request.headers))
    );
}

Response problem_index(const ProblemCatalogue& problems, const Request& request)
{
    return negotiated(
        request,
        http::problem_index_page(problems),
        http::problem_index_json(problems, http::choose_language(request.headers))
    );
}

http::Handler always(std::shared_ptr<const Response> response)
{
    return [response = std::move(response)](Request) { return Task<Response>::ready(*response); };
}

http::Route documented(
    std::string pattern, std::string summary, std::string media_type = "application/json"
)
{
    http::Answer document{
        .status = 200, .description = "the document", .body = http::any(), .media_type = {}
    };
    document.media_type = std::move(media_type);
    return {
        .method = "GET",
        .pattern = std::move(pattern),
        .tag = "Server",
        .summary = std::move(summary),
        .answers = {std::move(document)},
        .security = http::Security::open,
    };
}

}  // namespace

void add_document_routes(http::Router& router, const http::ProblemCatalogue& problems)
{
    router.add(
        documented("/problems", "Every problem a client can meet"),
        [&problems](http::Request request) {
            return Task<http::Response>::ready(problem_index(problems, request));
        }
    );
    router.add(documented("/problems/{name}", "One problem"), [&problems](http::Request request) {
        return Task<http::Response>::ready(problem(problems, request));
    });
    // The documents describe themselves too, so they are made when their routes are there.
    const auto openapi = std::make_shared<http::Response>();
    const auto page = std::make_shared<http::Response>();
    router.add(documented("/openapi.json", "This document"), always(openapi));
    router.add(documented("/docs", "This document, for people", "text/html"), always(page));
    router.add(
        documented("/docs/docs.css", "How that page looks", "text/css"),
        always(std::make_shared<http::Response>(http::docs_style()))
    );
    router.add(
        documented("/docs/docs.js", "How that page is searched", "text/javascript"),
        always(std::make_shared<http::Response>(http::docs_script()))
    );
    const http::OpenApiInfo info{
        .title = "umavez",
        .version = std::string{program_version},
        .description = "Makes an effect happen once although its request is retried.",
        .problems = problems,
    };
    *openapi = http::json_response(200, http::to_openapi(router, info));
    *page = http::docs_page(router, info);
}

}  // namespace umavez
