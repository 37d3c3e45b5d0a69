#pragma once

// What numbering answers: ranges as JSON, and why a number is not given out. Pure, thread-safe.

#include "http/problem.hpp"
#include "http/problem_catalogue.hpp"
#include "modules/fiscal/numbering/faixa.hpp"
#include "modules/parts/answers.hpp"

#include <umavez/response.hpp>

#include <cstdint>
#include <vector>

namespace umavez::fiscal {

std::vector<http::ProblemKind> numbering_problem_kinds();

Response to_response(int status, const Faixa& faixa);

http::Problem range_exists(const Faixa& faixa);
http::Problem no_range(const Serie& serie);
http::Problem series_is_blocked(const Faixa& faixa);
http::Problem no_numbers_left(const Faixa& faixa);
http::Problem numbers_in_use(const Faixa& faixa, std::int64_t maior_numero);
http::Problem not_reserved(const Faixa& faixa);
http::Problem number_of_another(const Faixa& faixa, std::int64_t numero);
http::Problem not_your_issuer(http::Language language);

}  // namespace umavez::fiscal
