#pragma once

// Why an operator's wish is not granted, as problems. Pure, thread-safe.

#include "access/caller.hpp"
#include "http/problem.hpp"
#include "http/problem_catalogue.hpp"
#include "http/validation.hpp"

#include <umavez/names.hpp>
#include <umavez/result.hpp>

#include <optional>
#include <string>
#include <vector>

namespace umavez::operators {

// The kinds that are ours alone; the program adds them to its catalogue.
std::vector<http::ProblemKind> problem_kinds();

// An error of the engine or the store: 404 or 409 with its words where there is nothing to change
// or the wish was wrong, else as the protocol tells it.
http::Problem problem_of(const Error& error);

// Sentences that key_protocol/translated.hpp knows: "such key", "must be a text".
http::Problem not_found(const std::string& what);
http::Problem wrong_field(
    const std::string& field, const std::string& message, http::Language language
);

// Operators look after the tenant of their token; only a token for all tenants sees the others.
std::optional<http::Problem> refuse_tenant(const access::Caller& caller, const TenantId& tenant);
// For what concerns every tenant.
std::optional<http::Problem> refuse_unless_all_tenants(const access::Caller& caller);

}  // namespace umavez::operators
