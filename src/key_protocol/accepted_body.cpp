#include "key_protocol/accepted_body.hpp"

#include "http/media_type.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::key_protocol {
namespace {

bool takes(const http::Body& body, std::string_view media_type)
{
    return std::ranges::find(body.media_types, media_type) != body.media_types.end() ||
           std::ranges::find(body.raw_media_types, media_type) != body.raw_media_types.end();
}

bool takes(const http::Body& body, const http::MediaType& media_type)
{
    return takes(body, media_type.type + "/" + media_type.subtype);
}

std::string accepted_types(const http::Body& body)
{
    std::vector<std::string> all = body.media_types;
    all.insert(all.end(), body.raw_media_types.begin(), body.raw_media_types.end());
    return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

http::Problem missing_body(const http::Body& body)
{
    const std::string accepted = accepted_types(body);
    return http::Problem{
        .name = "malformed-body",
        .detail =
            {
                fmt::format("the body is missing; send {}", accepted),
                fmt::format("falta o corpo; envie {}", accepted),
            },
    };
}

std::optional<http::Problem> check_media_type(
    const http::Body& body, const std::vector<Header>& headers
)
{
    // A type that is given twice or cannot be read is told by whoever reads the body.
    const auto value = http::find_header(headers, "Content-Type");
    const bool is_plain = value && takes(body, *value);  // nearly always: nothing is left to parse
    if (is_plain) return std::nullopt;
    const auto media_type = value ? http::parse_media_type(*value) : std::nullopt;
    if (value && (!media_type || takes(body, *media_type))) return std::nullopt;
    const std::string accepted = accepted_types(body);
    return http::Problem{
        .name = "unsupported-media-type",
        .detail =
            {
                fmt::format("the Content-Type must be {}", accepted),
                fmt::format("o Content-Type deve ser {}", accepted),
            },
        .headers = {{"Accept", accepted}},
    };
}

std::optional<http::Problem> check_body(const http::Route& route, const http::Request& request)
{
    if (!route.body) return std::nullopt;
    if (request.body.empty()) {
        if (!route.body->required) return std::nullopt;
        return missing_body(*route.body);
    }
    return check_media_type(*route.body, request.headers);
}

}  // namespace umavez::key_protocol
