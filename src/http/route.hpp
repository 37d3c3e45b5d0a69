#pragma once

// Route: a method, a path and everything a client must know about them. The router checks the
// parameters by it, the OpenAPI document is made of it. Plain values.
//
//     router.add(
//         {.method = "GET",
//          .pattern = "/api/v1/clientes/{id}",
//          .operation_id = "clientes.mostrar",
//          .tag = "Clientes",
//          .summary = "One client",
//          .path = {{.name = "id", .type = integer({.min = 1})}},
//          .answers = {{.status = 200, .description = "the client", .body = cliente()}},
//          .problems = {"not-found"}},
//         show_cliente
//     );

#include "http/schema.hpp"

#include <optional>
#include <string>
#include <vector>

namespace umavez::http {

struct Body {
    Schema schema = {};
    std::string description = {};
    std::string example = {};  // JSON
    bool required = true;
    std::vector<std::string> media_types = {"application/json"};
    std::vector<std::string> raw_media_types = {};  // whose bodies are bytes that no schema tells

    // Not 0: an upload. Its body, of at most so many bytes and of what the server allows, comes as
    // Request::spooled.
    std::uint64_t spooled_bytes_max = 0;
};

struct Answer {
    int status = 200;
    std::string description;
    std::optional<Schema> body = {};
    std::string example = {};  // JSON
    std::string media_type = "application/json";
    std::vector<Field> headers = {};
};

enum class Security : std::uint8_t {
    bearer,
    optional,  // a token opens more
    open,
};

struct Route {
    std::string method;             // upper case
    std::string pattern;            // "/api/v1/clientes/{id}"
    std::string operation_id = {};  // unique; empty: made of method and pattern
    std::string tag = {};
    std::string summary = {};
    std::string description = {};  // Markdown

    // One for each {name} of the pattern that is not just text. A value of another type is 404: no
    // such thing exists.
    std::vector<Field> path = {};
    // A value of another type, a required one that is missing or one that is given twice is
    // refused with its name; so is one that is not declared, where any is.
    std::vector<Field> query = {};
    // For the document only: the handler reads and checks its headers itself.
    std::vector<Field> headers = {};

    std::optional<Body> body = {};
    std::vector<Answer> answers = {};
    // Kinds of the catalogue: "version-conflict". Those that the router itself gives need not be
    // named.
    std::vector<std::string> problems = {};
    std::vector<Field> problem_headers = {};  // of every problem
    Security security = Security::bearer;     // for the document only
};

// The kinds it declares, and those that the router and the server give on it.
std::vector<std::string> problems_of(const Route& route);

}  // namespace umavez::http
