#pragma once

// The problems that modules answer with, and the one check they share: the version a writer
// expects.
//
// A resource with a version shows it as `versao` in its body and as ETag "versao". A writer sends
// back either; whoever saw an older state than the current one must look again. Pure, thread-safe.

#include "http/language.hpp"
#include "http/problem.hpp"
#include "http/validation.hpp"

#include <umavez/response.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace umavez::key_protocol {

using http::FieldError;
using http::validation_problem;

struct ExpectedVersion {
    std::vector<std::int64_t> versions;  // any of these
    bool is_any = false;                 // If-Match: *, whatever the version is
    bool is_precondition = false;        // said by If-Match: a conflict is 412, else 409
};

// From If-Match (a list of entity tags, RFC 9110, 13.1.1) and the `versao` of the body, if it had
// one. Neither is `validation` naming `versao`; both and different is 400. Tags that no version of
// ours can have, weak ones among them, match nothing.
std::expected<ExpectedVersion, http::Problem> read_expected_version(
    const std::vector<Header>& headers, std::optional<std::int64_t> versao, http::Language language
);

// Nullopt where the writer saw the current state; else a `version-conflict` that tells it.
std::optional<http::Problem> check_version(const ExpectedVersion& expected, std::int64_t current);

}  // namespace umavez::key_protocol
