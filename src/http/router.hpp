#pragma once

// Router: routes to handlers.
//
// Segments are matched as they are encoded, {names} are handed over decoded; a literal segment
// beats a {name}. Parameters are checked before the handler runs (route.hpp). HEAD is answered by
// the handler of GET. What is not there is 404, another method 405 with Allow. Immutable after
// construction: add() everything before the server starts; then thread-safe.

#include "http/message.hpp"
#include "http/route.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::http {

class Router {
public:
    // A route that is there already, or whose declaration contradicts itself, is a bug and stops
    // the program.
    void add(Route route, Handler handler);
    // Without parameters' types and without documentation.
    void add(std::string method, std::string_view pattern, Handler handler);

    // Asked before the router itself refuses a request (404, 405, a wrong parameter): its answer,
    // if any, is given instead. So whoever may not come in does not learn what is there.
    void guard_refusals(std::function<std::optional<Response>(const Request&)> guard);

    Task<Response> answer(Request request) const;

    // "GET /healthz", sorted: the table that documents are checked against.
    std::vector<std::string> routes() const;

    // In the order in which they were added; valid as long as the router.
    std::vector<const Route*> declared() const;

private:
    struct Endpoint {
        Route route;
        Handler handler;
    };
    struct Path {
        std::string pattern;
        std::vector<std::string> segments;  // "{id}" stands for any
        std::vector<Endpoint> endpoints;    // one per method

        std::vector<std::string_view> methods() const;
    };

    Task<Response> refuse(Response refusal, const Request& request) const;
    const Path* find(const std::vector<std::string_view>& segments) const;

    std::vector<Path> paths_;
    std::function<std::optional<Response>(const Request&)> guard_;
};

}  // namespace umavez::http
