#pragma once

// Answers that speak of a client or a proposal, and the problems only this module knows. Pure,
// thread-safe.

#include "http/message.hpp"
#include "http/problem.hpp"
#include "http/problem_catalogue.hpp"
#include "modules/propostas/entities.hpp"

#include <umavez/record.hpp>
#include <umavez/response.hpp>
#include <umavez/result.hpp>

#include <cstdint>
#include <expected>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::propostas {

// What an action of this module gives: an answer, a problem of the client, or an error of ours.
using Answered = Result<std::expected<Response, http::Problem>>;

inline Answered refused(http::Problem problem)
{
    return std::expected<Response, http::Problem>{std::unexpected(std::move(problem))};
}

// The entity as JSON: 201 with its Location, 200; a proposal with its version as ETag.
Response to_response(int status, const Cliente& cliente);
Response to_response(int status, const Proposta& proposta);

// The same answer for a request that goes without the engine.
inline http::Response to_http(Response response)
{
    return {response.status, std::move(response.headers), std::move(response.body)};
}

// 410: what the record speaks of was deleted. The body is the record of the operation, as JSON.
Response gone(std::string_view operation, const Record& record);

// The id of the entity that a final record speaks of.
std::int64_t entity_id_of(const Record& record);

http::Problem not_found(std::string_view what, std::int64_t id);
http::Problem email_taken(std::string_view email);
http::Problem invalid_transition(const Proposta& proposta, Passo passo);
http::Problem unknown_cliente(std::int64_t cliente_id, http::Language language);

// The key did this already, to another entity.
http::Problem key_used_elsewhere();

// email-existente, invalid-transition
std::vector<http::ProblemKind> problem_kinds();

}  // namespace umavez::propostas
