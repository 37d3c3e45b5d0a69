#pragma once

// From an outcome of the engine to an HTTP answer: the table "Answers" of
// docs/reference/idempotency.md.
//
// Every answer of a protected route says which guarantee it was given under; a replay says that it
// is one. Texts for operators (Unavailable::detail, Error::detail) never reach a client. Pure,
// thread-safe.

#include "http/message.hpp"
#include "http/problem.hpp"
#include "key_protocol/prefer.hpp"

#include <umavez/outcome.hpp>
#include <umavez/policy.hpp>
#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace umavez::key_protocol {

// What an answer depends on besides its outcome. The references outlive the call.
struct AnswerFacts {
    const Policy& policy;
    http::ProblemPlace place;

    int mismatch_status = 409;    // 422 follows the IETF draft
    bool has_key = true;          // sent or derived
    std::optional<Wait> wait;     // the wait that the engine was asked for
    std::vector<Header> passing;  // SplitResponse::passing of the run whose answer this is
};

http::Response to_answer(Outcome outcome, const AnswerFacts& facts);

// The engine's own errors. What is unavailable says what happened to the effect; what is our
// mistake is 500.
http::Response to_answer(const Error& error, const AnswerFacts& facts);

// A request that was refused before the engine was asked.
http::Response to_answer(const http::Problem& problem, const AnswerFacts& facts);

// Retry-After while another owner is at it: what is left of its lease, at least 1 s, because less
// is a busy loop, and at most 5 s, because most owners finish long before their lease ends.
std::int64_t retry_after_seconds(Duration lease_remaining) noexcept;

}  // namespace umavez::key_protocol
