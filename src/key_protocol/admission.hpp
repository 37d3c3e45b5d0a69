#pragma once

// Who may come in: before anything else is read of a request. Thread-safe.

#include "access/caller.hpp"
#include "access/token_book.hpp"
#include "http/message.hpp"
#include "http/problem.hpp"

#include <umavez/time.hpp>

#include <expected>

namespace umavez::key_protocol {

// 401 with WWW-Authenticate for whom no token admits. It tells what to do, but not whether a token
// ever existed.
http::Problem denial_problem(access::Denial denial);

// The caller, if it has the role; else 401 or 403. 400 where it names its user (X-Usuario) in a way
// that cannot be kept.
std::expected<access::Caller, http::Problem> admit(
    const access::TokenBook& tokens, const http::Request& request, access::Role role, Instant now
);

}  // namespace umavez::key_protocol
