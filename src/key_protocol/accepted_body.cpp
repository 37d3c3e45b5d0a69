#include "key_protocol/accepted_body.hpp"

#include "http/media_type.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::key_protocol {
namespace {

bool takes(const http::Body& body, const http::MediaType& media_type)
{
    const std::string given = media_type.type + "/" + media_type.subtype;
    return std::ranges::find(body.media_types, given) != body.media_types.end();
}

std::string accepted_types(const http::Body& body)
{
    return fmt::format("{}", fmt::join(body.media_types, ", "));
}

}  // namespace

std::optional<http::Problem> check_body(const http::Route& route, const http::Request& request)
{
    if (!route.body) return std::nullopt;
    if (request.body.empty()) {
        if (!route.body->required) return std::nullopt;
        const std::string accepted = accepted_types(*route.body);
        return http::Problem{
            .name = "malformed-body",
            .detail =
                {
                    fmt::format("the body is missing; send {}", accepted),
                    fmt::format("falta o corpo; envie {}", accepted),
                },
        };
    }
    // A type that is given twice or cannot be read is told by whoever reads the body.
    const auto value = http::find_header(request.headers, "Content-Type");
    const auto media_type = value ? http::parse_media_type(*value) : std::nullopt;
    if (value && (!media_type || takes(*route.body, *media_type))) return std::nullopt;
    const std::string accepted = accepted_types(*route.body);
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

}  // namespace umavez::key_protocol
