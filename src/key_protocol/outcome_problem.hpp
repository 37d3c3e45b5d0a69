#pragma once

// The outcomes that are problems, in the words of the catalogue. Used by answer.cpp; apart from it
// because these are the sentences people read. Pure, thread-safe.

#include "http/problem.hpp"
#include "key_protocol/answer.hpp"

#include <umavez/outcome.hpp>
#include <umavez/result.hpp>

#include <optional>

namespace umavez::key_protocol {

// Nullopt where the outcome is an answer of the handler: Executed, Replayed with its body, Unkeyed.
std::optional<http::Problem> problem_of(const Outcome& outcome, const AnswerFacts& facts);

http::Problem problem_of(const Error& error, bool has_key = false);

}  // namespace umavez::key_protocol
