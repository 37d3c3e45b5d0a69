#pragma once

// Answers that speak of a client or a proposal, and the problems only this module knows. Pure,
// thread-safe.

#include "http/problem.hpp"
#include "http/problem_catalogue.hpp"
#include "modules/parts/answers.hpp"
#include "modules/propostas/entities.hpp"

#include <umavez/record.hpp>
#include <umavez/response.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace umavez::propostas {

using modules::Answered;
using modules::not_found;
using modules::refused;

// The entity as JSON: 201 with its Location, 200; a proposal with its version as ETag.
Response to_response(int status, const Cliente& cliente);
Response to_response(int status, const Proposta& proposta);

// 410: what the record speaks of was deleted. The body is the record of the operation, as JSON.
Response gone(std::string_view operation, const Record& record);

// The id of the entity that a final record speaks of.
std::int64_t entity_id_of(const Record& record);

http::Problem email_taken(std::string_view email);
http::Problem invalid_transition(const Proposta& proposta, Passo passo);
http::Problem unknown_cliente(std::int64_t cliente_id, http::Language language);

// The key did this already, to another entity.
http::Problem key_used_elsewhere();

// email-existente
std::vector<http::ProblemKind> problem_kinds();

}  // namespace umavez::propostas
