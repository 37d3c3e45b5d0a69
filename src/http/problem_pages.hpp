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

// The same for programs.
std::string problem_json(const ProblemKind& kind, Language language);
std::string problem_index_json(const ProblemCatalogue& catalogue, Language language);

}  // namespace umavez::http
