#include "key_protocol/content.hpp"

#include "base/limits.hpp"
#include "http/media_type.hpp"
#include "http/message.hpp"
#include "json/canonical.hpp"
#include "key_protocol/form.hpp"
#include "key_protocol/multipart.hpp"
#include "key_protocol/translated.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace umavez::key_protocol {
namespace {

constexpr std::string_view json_type = "application/json";

std::unexpected<http::Problem> malformed(std::string english, std::string portuguese)
{
    http::Problem problem{};
    problem.name = "malformed-body";
    problem.detail = {std::move(english), std::move(portuguese)};
    return std::unexpected(std::move(problem));
}

std::unexpected<http::Problem> unsupported(std::string english, std::string portuguese)
{
    http::Problem problem{};
    problem.name = "unsupported-media-type";
    problem.detail = {std::move(english), std::move(portuguese)};
    return std::unexpected(std::move(problem));
}

std::expected<std::optional<http::MediaType>, http::Problem> read_media_type(
    const http::HeaderLines& given
)
{
    if (given.count == 0) return std::nullopt;
    if (given.count > 1) {
        return unsupported("Content-Type is given twice", "Content-Type aparece duas vezes");
    }
    auto media_type = http::parse_media_type(given.value);
    if (!media_type) {
        return unsupported("Content-Type cannot be read", "o Content-Type não pode ser lido");
    }
    return media_type;
}

ReadBody of_bytes(std::string_view media_type, std::string_view bytes)
{
    return {fingerprint_bytes(media_type, bytes), std::nullopt};
}

// utf-8 says nothing new about JSON and forms; anything else would make the bytes mean another
// text.
bool drop_utf8(http::MediaType& media_type)
{
    const std::string* const charset = media_type.find("charset");
    if (charset != nullptr && *charset != "utf-8") return false;
    media_type.remove("charset");
    return true;
}

std::expected<ReadBody, http::Problem> read_json(std::string_view media_type, std::string_view body)
{
    auto tree = JsonTree::parse(body, limits::json_depth_http_max);
    if (!tree) {
        // The detail of a JSON error speaks of nothing but the client's own text: place and reason.
        const http::Text told = translated(tree.error().detail);
        return malformed("not valid JSON: " + told.english, "JSON inválido: " + told.portuguese);
    }
    // A patch of one kind is not a patch of another, though both are JSON.
    const Fingerprint fingerprint = media_type == json_type
                                        ? fingerprint_of(*tree)
                                        : fingerprint_bytes(media_type, canonical_text(*tree));
    return ReadBody{fingerprint, *std::move(tree)};
}

std::expected<ReadBody, http::Problem> read_form(
    const http::MediaType& media_type, std::string_view body
)
{
    const auto pairs = parse_form(body);
    if (!pairs) {
        const std::size_t offset = pairs.error().offset;
        return malformed(
            fmt::format("byte {}: two hexadecimal digits must follow %", offset),
            fmt::format("byte {}: dois dígitos hexadecimais devem seguir %", offset)
        );
    }
    return of_bytes(media_type.text(), to_canonical(*pairs));
}

std::expected<ReadBody, http::Problem> read_multipart(
    http::MediaType media_type, std::string_view body
)
{
    const std::string* const boundary = media_type.find("boundary");
    if (boundary == nullptr) {
        return malformed(
            "the Content-Type of a multipart body names its boundary",
            "o Content-Type de um corpo multipart informa o seu boundary"
        );
    }
    const auto parts = parse_multipart(body, *boundary);
    if (!parts) {
        const MultipartFault& fault = parts.error();
        return malformed(
            fmt::format("byte {}: {}", fault.offset, fault.reason),
            fmt::format("byte {}: {}", fault.offset, fault.reason_portuguese)
        );
    }
    media_type.remove("boundary");
    return of_bytes(media_type.text(), to_canonical(*parts));
}

}  // namespace

std::expected<ReadBody, http::Problem> read_body(
    const std::vector<Header>& headers, std::string_view body
)
{
    // Some clients announce a type for a body they do not send; what is said is nothing either way.
    if (body.empty()) return of_bytes({}, {});
    const http::HeaderLines given = http::find_lines(headers, "Content-Type");
    // Nearly always: nothing is left to parse.
    if (given.count == 1 && given.value == json_type) return read_json(json_type, body);
    auto read = read_media_type(given);
    if (!read) return std::unexpected(read.error());
    if (!*read) return of_bytes({}, body);

    http::MediaType& media_type = **read;
    const bool is_form =
        media_type.type == "application" && media_type.subtype == "x-www-form-urlencoded";
    if ((media_type.is_json() || is_form) && !drop_utf8(media_type)) {
        return unsupported("the charset must be utf-8", "o charset deve ser utf-8");
    }
    if (media_type.is_json()) return read_json(media_type.text(), body);
    if (is_form) return read_form(media_type, body);
    if (media_type.type == "multipart") {
        return read_multipart(std::move(media_type), body);
    }
    return of_bytes(media_type.text(), body);
}

}  // namespace umavez::key_protocol
