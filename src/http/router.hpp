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

// What stands before a route that not everybody may use.
struct RouteGate {
    // By the head of a request alone; nullopt lets it in. The handler checks again: what was true
    // of the head need not be true any more when the body has come.
    std::function<std::optional<Response>(const Request& head)> refuse = {};
    // Of every answer on the route that its handler does not give.
    std::vector<Header> headers = {};
};

class Router {
public:
    // A route that is there already, or whose declaration contradicts itself, is a bug and stops
    // the program.
    void add(Route route, Handler handler, RouteGate gate = {});
    // Without parameters' types and without documentation.
    void add(std::string method, std::string_view pattern, Handler handler);

    // Asked before the router itself refuses a request (404, 405, a wrong parameter): its answer,
    // if any, is given instead. So whoever may not come in does not learn what is there.
    void guard_refusals(std::function<std::optional<Response>(const Request&)> guard);

    // The gate of a server (message.hpp). What is not there is refused, and what the gate of its
    // route refuses; a route that everybody may use and that declares no body takes none.
    Entry enter(const Request& head) const;

    // Whether a route that takes uploads may be meant (server.hpp, UploadOptions): cheap, and right
    // where it says no.
    bool is_upload(const Request& head) const noexcept;

    Task<Response> answer(Request request) const;

    // "GET /healthz", sorted: the table that documents are checked against.
    std::vector<std::string> routes() const;

    // In the order in which they were added; valid as long as the router.
    std::vector<const Route*> declared() const;

private:
    struct Endpoint {
        Route route;
        Handler handler;
        RouteGate gate;
    };
    struct Path {
        std::string pattern;
        std::vector<std::string> segments;  // "{id}" stands for any
        std::vector<Endpoint> endpoints;    // one per method

        const Endpoint* find(std::string_view method) const;
        std::vector<std::string_view> methods() const;
    };

    // What was asked for, or why it is not there.
    struct Found {
        const Path* path = nullptr;
        const Endpoint* endpoint = nullptr;
        std::optional<Response> refusal = {};
    };
    Found find(const std::vector<std::string_view>& segments, const Request& request) const;
    // Adds the parameters to the request; nullopt: all are as declared.
    static std::optional<Response> take_parameters(
        const Found& found, const std::vector<std::string_view>& segments, Request& request
    );
    Response refuse(Response refusal, const Request& request) const;
    const Path* find(const std::vector<std::string_view>& segments) const;

    std::vector<Path> paths_;
    struct UploadMark {
        std::string method;
        std::string prefix;  // of the path: up to its first {name}
    };
    std::vector<UploadMark> uploads_;
    std::function<std::optional<Response>(const Request&)> guard_;
};

}  // namespace umavez::http
