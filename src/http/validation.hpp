#pragma once

// The problem `validation`: which members of a body or parameters are not valid, and why. Pure,
// thread-safe.

#include "http/language.hpp"
#include "http/problem.hpp"

#include <string>
#include <vector>

namespace umavez::http {

struct FieldError {
    std::string field;  // "valor", "itens[3].valor"
    Text message;
};

// 422 with `errors: [{field, message}]` in the order given.
Problem validation_problem(const std::vector<FieldError>& errors, Language language);

}  // namespace umavez::http
