#pragma once

// The routes that explain the others: /problems, /openapi.json, /docs. They need no token.

#include "http/problem_catalogue.hpp"
#include "http/router.hpp"

namespace umavez {

// After all other routes: the documents describe those that are there. The catalogue outlives the
// router.
void add_document_routes(http::Router& router, const http::ProblemCatalogue& problems);

}  // namespace umavez
