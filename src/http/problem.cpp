#include "http/problem.hpp"

#include "base/json_text.hpp"
#include "http/problem_catalogue.hpp"

#include <fmt/format.h>

namespace umavez::http {
namespace {

std::string_view name_of(int status) noexcept
{
    switch (status) {
        case 401: return "unauthorized";
        case 403: return "forbidden";
        case 404: return "not-found";
        case 405: return "method-not-allowed";
        case 408: return "request-timeout";
        case 413: return "too-large";
        case 415: return "unsupported-media-type";
        case 417: return "expectation-failed";
        case 422: return "validation";
        case 431: return "headers-too-large";
        case 500: return "internal-error";
        case 501: return "not-implemented";
        case 503: return "unavailable";
        case 505: return "version-not-supported";
        default: return "malformed-request";
    }
}

// Clients may send paths of any length; problems repeat the beginning.
constexpr std::size_t instance_bytes_max = 512;

}  // namespace

Member text_member(std::string name, std::string_view value)
{
    return {std::move(name), to_json_text(value)};
}

Member number_member(std::string name, std::int64_t value)
{
    return {std::move(name), std::to_string(value)};
}

ProblemPlace place_of(const ProblemCatalogue& catalogue, const Request& request)
{
    return {catalogue, choose_language(request.headers), request.path, request.request_id};
}

Response to_response(const Problem& problem, const ProblemPlace& place)
{
    const ProblemKind& kind = place.catalogue.get(problem.name);
    const int status = problem.status.value_or(kind.status);

    std::string body = fmt::format(R"({{"type":"{}","title":)", problem_path(kind.name));
    append_json_text(body, kind.in(place.language).title);
    body += fmt::format(R"(,"status":{})", status);
    const std::string& detail = problem.detail.in(place.language);
    body += R"(,"detail":)";
    append_json_text(body, detail.empty() ? kind.in(place.language).explanation : detail);
    if (!place.instance.empty()) {
        body += R"(,"instance":)";
        append_json_text(body, place.instance, instance_bytes_max);
    }
    body += R"(,"request_id":)";
    append_json_text(body, place.request_id);
    for (const Member& member : problem.members) {
        body += ',';
        append_json_text(body, member.name);
        body += ':';
        body += member.json;
    }
    body += "}\n";

    Response response{.status = status, .headers = {}, .body = std::move(body)};
    response.headers.push_back({"Content-Type", "application/problem+json"});
    response.headers.push_back({"Content-Language", std::string{to_tag(place.language)}});
    for (const Header& header : problem.headers) response.headers.push_back(header);
    if (!problem.cause.empty()) response.notes.push_back({"detail", problem.cause});
    return response;
}

Problem problem_for(int status, Text detail)
{
    Problem problem{};
    problem.name = name_of(status);
    problem.detail = std::move(detail);
    return problem;
}

Response to_response(const Problem& problem, const Request& request)
{
    return to_response(problem, place_of(ProblemCatalogue::of_server(), request));
}

}  // namespace umavez::http
