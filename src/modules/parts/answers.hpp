#pragma once

// Answers in the shape that all modules give: an entity as JSON, or a refusal. Pure, thread-safe.

#include "http/message.hpp"
#include "http/problem.hpp"

#include <umavez/response.hpp>
#include <umavez/result.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace umavez::modules {

// What an action of a module gives: an answer, a problem of the client, or an error of ours.
using Answered = Result<std::expected<Response, http::Problem>>;

inline Answered refused(http::Problem problem)
{
    return std::expected<Response, http::Problem>{std::unexpected(std::move(problem))};
}

// What an answer speaks of. `collection` is the segment of its path: "propostas".
struct EntityPlace {
    std::string_view collection;
    std::int64_t id = 0;
    std::optional<std::int64_t> versao = {};  // shown as ETag
};

// The entity as JSON; a 201 with its Location.
Response entity_response(int status, const EntityPlace& place, std::string json);

// The same answer for a request that goes without the engine.
inline http::Response to_http(Response response)
{
    return {response.status, std::move(response.headers), std::move(response.body)};
}

// "\"3\"": the version as an entity tag.
Header etag(std::int64_t versao);

// `what` in the words of the API: "proposta".
http::Problem not_found(std::string_view what, std::int64_t id);

// JSON of what may be absent.
std::string text_or_null(const std::optional<std::string>& text);

}  // namespace umavez::modules
