#pragma once

// The pages behind the `type` of a problem: GET /problems and GET /problems/<name>.
//
// For people who follow the link from a log or a debugger. Both languages on one page, nothing
// loaded from anywhere, no script. Pure, thread-safe.

#include "http/message.hpp"
#include "http/problem_catalogue.hpp"

namespace umavez::http {

Response problem_page(const ProblemKind& kind);
Response problem_index_page(const ProblemCatalogue& catalogue);

}  // namespace umavez::http
