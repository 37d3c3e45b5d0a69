#include "http/router.hpp"

#include "base/assert.hpp"
#include "http/problem.hpp"

#include <algorithm>
#include <charconv>

namespace umavez::http {
namespace {

std::vector<std::string_view> split(std::string_view path)
{
    std::vector<std::string_view> segments;
    if (path.starts_with('/')) path.remove_prefix(1);
    for (;;) {
        const std::size_t slash = path.find('/');
        segments.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) return segments;
        path.remove_prefix(slash + 1);
    }
}

bool is_name(std::string_view segment) noexcept
{
    return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

Response problem(int status, const Request& request)
{
    return to_response(problem_for(status), request);
}

}  // namespace

void Router::add(std::string method, std::string_view pattern, Handler handler)
{
    UMAVEZ_ASSERT(pattern.starts_with('/'));
    auto route = std::ranges::find(routes_, pattern, &Route::pattern);
    if (route == routes_.end()) {
        Route made{.pattern = std::string{pattern}, .segments = {}, .methods = {}};
        for (const std::string_view segment : split(pattern)) made.segments.emplace_back(segment);
        route = routes_.insert(routes_.end(), std::move(made));
    }
    const bool is_new = std::ranges::none_of(route->methods, [&method](const auto& known) {
        return known.first == method;
    });
    UMAVEZ_ASSERT(is_new);
    route->methods.emplace_back(std::move(method), std::move(handler));
}

const Router::Route* Router::find(const std::vector<std::string_view>& segments) const
{
    const Route* best = nullptr;
    for (const Route& route : routes_) {
        const bool matches = std::ranges::equal(
            route.segments,
            segments,
            [](const std::string& expected, std::string_view given) {
                return expected == given || (is_name(expected) && !given.empty());
            }
        );
        if (!matches) continue;
        // At the first segment where two routes differ the literal one is meant.
        const auto is_literal_first = [](const Route& left, const Route& right) {
            const auto [l, r] = std::ranges::mismatch(left.segments, right.segments);
            return l != left.segments.end() && !is_name(*l);
        };
        if (best == nullptr || is_literal_first(route, *best)) best = &route;
    }
    return best;
}

Task<Response> Router::answer(Request request) const
{
    const std::vector<std::string_view> segments = split(request.path);
    const Route* const route = find(segments);
    if (route == nullptr) co_return problem(404, request);

    const std::string_view method =
        request.method == "HEAD" ? "GET" : std::string_view{request.method};
    const Handler* handler = nullptr;
    std::string allow;
    for (const auto& [known, candidate] : route->methods) {
        if (known == method) handler = &candidate;
        allow += (allow.empty() ? "" : ", ") + known + (known == "GET" ? ", HEAD" : "");
    }
    if (handler == nullptr) {
        Response refused = problem(405, request);
        refused.headers.push_back({"Allow", allow});
        co_return refused;
    }
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const std::string& expected = route->segments[i];
        if (!is_name(expected)) continue;
        auto decoded = percent_decode(segments[i]);
        if (!decoded) co_return problem(400, request);
        request.parameters.emplace_back(
            expected.substr(1, expected.size() - 2), *std::move(decoded)
        );
    }
    Task<Response> answering = (*handler)(std::move(request));
    co_return co_await std::move(answering);
}

std::vector<std::string> Router::routes() const
{
    std::vector<std::string> table;
    for (const Route& route : routes_) {
        for (const auto& [method, handler] : route.methods)
            table.push_back(method + " " + route.pattern);
    }
    std::ranges::sort(table);
    return table;
}

std::optional<std::string> percent_decode(std::string_view text)
{
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            decoded += text[at];
            continue;
        }
        unsigned byte = 0;
        const char* const begin = text.data() + at + 1;
        if (text.size() - at < 3) return std::nullopt;
        if (const auto [end, error] = std::from_chars(begin, begin + 2, byte, 16);
            error != std::errc{} || end != begin + 2) {
            return std::nullopt;
        }
        decoded += static_cast<char>(byte);
        at += 2;
    }
    return decoded;
}

}  // namespace umavez::http
