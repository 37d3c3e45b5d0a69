#pragma once

// The pages behind the `type` of a problem: GET /problems and GET /problems/<name>.
//
// For people who follow the link from a log or a debugger. Both languages on one page, nothing
// loaded from anywhere, no script. Pure, thread-safe.

#include "http/message.hpp"
#include "key_protocol/problem_catalogue.hpp"

namespace umavez::key_protocol {

http::Response problem_page(const ProblemKind& kind);
http::Response problem_index_page(const ProblemCatalogue& catalogue);

}  // namespace umavez::key_protocol
