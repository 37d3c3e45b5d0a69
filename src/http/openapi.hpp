#pragma once

// The OpenAPI 3.1 document of a router: what is declared is what is served, so they cannot differ.
// Pure, thread-safe.

#include "http/problem_catalogue.hpp"
#include "http/router.hpp"

#include <string>

namespace umavez::http {

struct OpenApiInfo {
    std::string title;
    std::string version;
    std::string description = {};  // Markdown
    // Where the kinds that routes name are described.
    const ProblemCatalogue& problems = ProblemCatalogue::of_server();
};

// JSON. Schemas with names stand once in its components; two that share a name and differ, or a
// problem that is not in the catalogue, are bugs and stop the program.
std::string to_openapi(const Router& router, const OpenApiInfo& info);

}  // namespace umavez::http
