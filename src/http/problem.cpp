#include "http/problem.hpp"

#include "base/json_text.hpp"

#include <fmt/format.h>

namespace umavez::http {
namespace {

struct Kind {
    std::string_view name;
    std::string_view title;
};

Kind kind_of(int status) noexcept
{
    switch (status) {
        case 404: return {"not-found", "Nothing is here"};
        case 405: return {"method-not-allowed", "This resource does not take that method"};
        case 408: return {"request-timeout", "The request did not arrive in time"};
        case 413: return {"too-large", "The body is too large"};
        case 417: return {"expectation-failed", "The expectation cannot be met"};
        case 431: return {"headers-too-large", "The header block is too large"};
        case 500: return {"internal-error", "The server made a mistake"};
        case 501: return {"not-implemented", "The request needs what this server does not have"};
        case 503: return {"unavailable", "The server cannot answer now"};
        case 505: return {"version-not-supported", "The HTTP version is not supported"};
        default: return {"malformed-request", "The request is malformed"};
    }
}

// Clients may send paths of any length; problems repeat the beginning.
constexpr std::size_t instance_bytes_max = 512;

}  // namespace

Problem problem_for(int status, std::string detail)
{
    const Kind kind = kind_of(status);
    return {status, std::string{kind.name}, std::string{kind.title}, std::move(detail)};
}

Response to_response(const Problem& problem, std::string_view instance, std::string_view request_id)
{
    std::string body = fmt::format(R"({{"type":"/problems/{}","title":)", problem.name);
    append_json_text(body, problem.title);
    body += fmt::format(R"(,"status":{})", problem.status);
    if (!problem.detail.empty()) {
        body += R"(,"detail":)";
        append_json_text(body, problem.detail);
    }
    if (!instance.empty()) {
        body += R"(,"instance":)";
        append_json_text(body, instance, instance_bytes_max);
    }
    body += R"(,"request_id":)";
    append_json_text(body, request_id);
    body += "}\n";
    return {problem.status, {{"Content-Type", "application/problem+json"}}, std::move(body)};
}

}  // namespace umavez::http
