#include "http/router.hpp"

#include "base/assert.hpp"
#include "http/parameters.hpp"
#include "http/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

std::string_view name_of(std::string_view segment) noexcept
{
    return segment.substr(1, segment.size() - 2);
}

bool has_parts(const Field& field) noexcept
{
    return field.type.type == Type::object || field.type.type == Type::array;
}

void check(const Route& route)
{
    UMAVEZ_ASSERT(route.pattern.starts_with('/'));
    const auto segments = split(route.pattern);
    for (const Field& field : route.path) {
        const bool is_in_pattern = std::ranges::count(segments, "{" + field.name + "}") == 1;
        UMAVEZ_ASSERT(is_in_pattern && field.required && !has_parts(field));
    }
    for (const Field& field : route.query) {
        const bool is_in_pattern = std::ranges::count(segments, "{" + field.name + "}") > 0;
        UMAVEZ_ASSERT(!is_in_pattern && !has_parts(field));
    }
}

Response problem(int status, const Request& request)
{
    return to_response(problem_for(status), request);
}

Response refuse_query(const std::vector<FieldError>& errors, const Request& request)
{
    return to_response(validation_problem(errors, choose_language(request.headers)), request);
}

Response refuse_method(const std::vector<std::string_view>& methods, const Request& request)
{
    std::string allow;
    for (const std::string_view method : methods) {
        allow += fmt::format(
            "{}{}{}", allow.empty() ? "" : ", ", method, method == "GET" ? ", HEAD" : ""
        );
    }
    Response refused = problem(405, request);
    refused.headers.push_back({"Allow", allow});
    return refused;
}

Response refuse_body(const Request& head)
{
    const std::string what = head.method + " " + head.path;
    Text reason{what + " takes no body", what + " não aceita corpo"};
    return to_response(problem_for(400, std::move(reason)), head);
}

// An answer that the handler of a route did not give, though it is the route's.
void mark(Response& refusal, const Entry& entry)
{
    refusal.route = entry.route;
    std::ranges::copy(entry.headers, std::back_inserter(refusal.headers));
}

Task<Response> on_route(Task<Response> answering, std::string_view pattern)
{
    Response response = co_await std::move(answering);
    response.route = pattern;
    co_return response;
}

}  // namespace

void Router::add(std::string method, std::string_view pattern, Handler handler)
{
    add(Route{.method = std::move(method), .pattern = std::string{pattern}}, std::move(handler));
}

void Router::add(Route route, Handler handler, RouteGate gate)
{
    check(route);
    auto path = std::ranges::find(paths_, route.pattern, &Path::pattern);
    if (path == paths_.end()) {
        Path made{.pattern = route.pattern, .segments = {}, .endpoints = {}};
        for (const std::string_view segment : split(route.pattern))
            made.segments.emplace_back(segment);
        path = paths_.insert(paths_.end(), std::move(made));
    }
    const bool is_new = std::ranges::none_of(path->endpoints, [&route](const Endpoint& known) {
        return known.route.method == route.method;
    });
    UMAVEZ_ASSERT(is_new);
    if (route.body && route.body->spooled_bytes_max > 0) {
        uploads_.push_back({route.method, route.pattern.substr(0, route.pattern.find('{'))});
    }
    path->endpoints.push_back({std::move(route), std::move(handler), std::move(gate)});
}

const Router::Path* Router::find(const std::vector<std::string_view>& segments) const
{
    const Path* best = nullptr;
    for (const Path& path : paths_) {
        const bool matches = std::ranges::equal(
            path.segments,
            segments,
            [](const std::string& expected, std::string_view given) {
                return expected == given || (is_name(expected) && !given.empty());
            }
        );
        if (!matches) continue;
        // At the first segment where two paths differ the literal one is meant.
        const auto is_literal_first = [](const Path& left, const Path& right) {
            const auto [l, r] = std::ranges::mismatch(left.segments, right.segments);
            return l != left.segments.end() && !is_name(*l);
        };
        if (best == nullptr || is_literal_first(path, *best)) best = &path;
    }
    return best;
}

Router::Found Router::find(const std::vector<std::string_view>& segments, const Request& request)
    const
{
    const Path* const path = find(segments);
    if (path == nullptr) return {.refusal = refuse(problem(404, request), request)};
    const Endpoint* const endpoint = path->find(request.method);
    if (endpoint == nullptr)
        return {.refusal = refuse(refuse_method(path->methods(), request), request)};
    return {path, endpoint};
}

std::optional<Response> Router::take_parameters(
    const Found& found, const std::vector<std::string_view>& segments, Request& request
)
{
    const Route& route = found.endpoint->route;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const std::string_view segment = found.path->segments[i];
        if (!is_name(segment)) continue;
        auto decoded = percent_decode(segments[i]);
        if (!decoded) return problem(400, request);
        const auto field = std::ranges::find(route.path, name_of(segment), &Field::name);
        if (field != route.path.end() && !accepts(field->type, *decoded)) {
            return problem(404, request);
        }
        request.parameters.emplace_back(name_of(segment), *std::move(decoded));
    }
    if (auto unknown = find_unknown_parameter(route.query, request.query))
        return to_response(problem_for(400, *std::move(unknown)), request);
    const auto errors = take_query(route.query, request);
    if (!errors.empty()) return refuse_query(errors, request);
    return std::nullopt;
}

Entry Router::enter(const Request& head) const
{
    Found found = find(split(head.path), head);
    if (found.refusal) return {.refusal = std::move(found.refusal)};
    const auto& [route, handler, gate] = *found.endpoint;
    Entry entry{.refusal = {}, .route = found.path->pattern, .headers = gate.headers};
    if (gate.refuse) {
        entry.refusal = gate.refuse(head);
    } else if (!route.body) {
        entry.refusal = refuse(refuse_body(head), head);
    }
    if (route.body) entry.spooled_bytes_max = route.body->spooled_bytes_max;
    if (entry.refusal) mark(*entry.refusal, entry);
    return entry;
}

bool Router::is_upload(const Request& head) const noexcept
{
    return std::ranges::any_of(uploads_, [&head](const UploadMark& upload) {
        return head.method == upload.method && head.path.starts_with(upload.prefix);
    });
}

Task<Response> Router::answer(Request request) const
{
    const std::vector<std::string_view> segments = split(request.path);
    Found found = find(segments, request);
    if (found.refusal) return Task<Response>::ready(*std::move(found.refusal));
    const Endpoint& endpoint = *found.endpoint;
    const bool has_unwanted_body =
        !endpoint.gate.refuse && !endpoint.route.body && !request.body.empty();
    auto refusal =
        has_unwanted_body ? refuse_body(request) : take_parameters(found, segments, request);
    if (refusal) {
        Response refused = refuse(*std::move(refusal), request);
        mark(refused, {.route = found.path->pattern, .headers = endpoint.gate.headers});
        return Task<Response>::ready(std::move(refused));
    }
    Task<Response> answering = endpoint.handler(std::move(request));
    return on_route(std::move(answering), found.path->pattern);
}

const Router::Endpoint* Router::Path::find(std::string_view method) const
{
    if (method == "HEAD") method = "GET";
    for (const Endpoint& endpoint : endpoints) {
        if (endpoint.route.method == method) return &endpoint;
    }
    return nullptr;
}

std::vector<std::string_view> Router::Path::methods() const
{
    std::vector<std::string_view> methods;
    for (const Endpoint& endpoint : endpoints) methods.emplace_back(endpoint.route.method);
    return methods;
}

Response Router::refuse(Response refusal, const Request& request) const
{
    if (guard_) {
        if (auto instead = guard_(request)) return *std::move(instead);
    }
    return refusal;
}

void Router::guard_refusals(std::function<std::optional<Response>(const Request&)> guard)
{
    guard_ = std::move(guard);
}

std::vector<std::string> Router::routes() const
{
    std::vector<std::string> table;
    for (const Route* const route : declared())
        table.push_back(route->method + " " + route->pattern);
    std::ranges::sort(table);
    return table;
}

std::vector<const Route*> Router::declared() const
{
    std::vector<const Route*> routes;
    for (const Path& path : paths_) {
        for (const Endpoint& endpoint : path.endpoints) routes.push_back(&endpoint.route);
    }
    return routes;
}

}  // namespace umavez::http
