#include "key_protocol/problem.hpp"

#include "base/json_text.hpp"
#include "key_protocol/problem_catalogue.hpp"

#include <fmt/format.h>

namespace umavez::key_protocol {
namespace {

// As in http/problem.cpp: clients may send paths of any length.
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

http::Response to_response(const Problem& problem, const ProblemPlace& place)
{
    const ProblemKind& kind = place.catalogue.get(problem.name);
    const int status = problem.status.value_or(kind.status);

    std::string body = fmt::format(R"({{"type":"{}","title":)", problem_path(kind.name));
    append_json_text(body, kind.in(place.language).title);
    body += fmt::format(R"(,"status":{})", status);
    if (const std::string& detail = problem.detail.in(place.language); !detail.empty()) {
        body += R"(,"detail":)";
        append_json_text(body, detail);
    }
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

    http::Response response{.status = status, .headers = {}, .body = std::move(body)};
    response.headers.push_back({"Content-Type", "application/problem+json"});
    response.headers.push_back({"Content-Language", std::string{to_tag(place.language)}});
    for (const Header& header : problem.headers) response.headers.push_back(header);
    return response;
}

Response to_handler_response(const Problem& problem, const ProblemPlace& place)
{
    http::Response response = to_response(problem, place);
    return {
        .status = response.status,
        .headers = std::move(response.headers),
        .body = std::move(response.body),
        .entity = {},
    };
}

}  // namespace umavez::key_protocol
