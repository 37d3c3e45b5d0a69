#pragma once

// Router: methods and paths to handlers.
//
//     router.add("GET", "/api/v1/clientes/{id}", show_cliente);
//
// Segments are matched as they are encoded, {names} are handed over decoded; a literal segment
// beats a {name}. HEAD is answered by the handler of GET. What is not there is 404, another method
// 405 with Allow. Immutable after construction: add() everything before the server starts.

#include "http/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace umavez::http {

class Router {
public:
    // A route that is there already is a bug and stops the program.
    void add(std::string method, std::string_view pattern, Handler handler);

    Task<Response> answer(Request request) const;

    // "GET /healthz", sorted: the table that documents are checked against.
    std::vector<std::string> routes() const;

private:
    struct Route {
        std::string pattern;
        std::vector<std::string> segments;  // "{id}" stands for any
        std::vector<std::pair<std::string, Handler>> methods;
    };

    const Route* find(const std::vector<std::string_view>& segments) const;

    std::vector<Route> routes_;
};

// Nullopt where a % is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace umavez::http
