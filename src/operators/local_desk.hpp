#pragma once

// LocalDesk: answers wishes inside the process that has the database open: those of its control
// socket, and those of a command that opened the database itself. Whoever gets here may do
// everything: the file system let them.
//
// Thread-safe. Its needs outlive it.

#include "http/problem_catalogue.hpp"
#include "http/router.hpp"
#include "operators/desk.hpp"
#include "operators/operator_routes.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace umavez::operators {

class LocalDesk {
public:
    // `more` are the operators' routes of what else the program has.
    LocalDesk(
        OperatorNeeds needs,
        const http::ProblemCatalogue& problems,
        std::vector<key_protocol::CallRoute> more = {}
    );

    // Blocks. `by` goes into the audit.
    Reply answer(const Wish& wish, const std::string& by) const;

    // For the control socket. "ping" → "pong".
    std::string answer_line(std::string_view line) const;

private:
    http::Router router_;
};

}  // namespace umavez::operators
