#include "modules/parts/answers.hpp"

#include "base/json_text.hpp"

#include <fmt/format.h>

namespace umavez::modules {

Response entity_response(int status, const EntityPlace& place, std::string json)
{
    json += '\n';
    Response response{.status = status, .body = std::move(json)};
    response.headers.push_back({"Content-Type", "application/json"});
    if (status == 201) {
        response.headers.push_back(
            {"Location", fmt::format("/api/v1/{}/{}", place.collection, place.id)}
        );
    }
    if (place.versao) response.headers.push_back(etag(*place.versao));
    response.entity = Entity{std::string{place.collection}, std::to_string(place.id)};
    return response;
}

Header etag(std::int64_t versao)
{
    return {"ETag", fmt::format("\"{}\"", versao)};
}

http::Problem not_found(std::string_view what, std::int64_t id)
{
    return {
        .name = "not-found",
        .detail =
            {fmt::format("there is no {} {}", what, id), fmt::format("não há {} {}", what, id)},
    };
}

std::string text_or_null(const std::optional<std::string>& text)
{
    return text ? to_json_text(*text) : "null";
}

}  // namespace umavez::modules
