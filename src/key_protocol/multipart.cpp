#include "key_protocol/multipart.hpp"

#include "http/header_syntax.hpp"
#include "key_protocol/packed.hpp"

#include <algorithm>
#include <optional>

namespace umavez::key_protocol {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t boundary_chars_max = 70;  // RFC 2046, 5.1.1

// A line that consists of "--boundary", perhaps "--", and perhaps blanks.
struct Delimiter {
    std::size_t begin = 0;  // of the line end that belongs to it
    std::size_t end = 0;    // of what belongs to it
    bool is_closing = false;
};

// Looks at the text after "--boundary". Something else than blanks makes it ordinary content: the
// boundary of another body may begin with ours.
std::optional<Delimiter> complete(std::string_view body, std::size_t begin, std::size_t at)
{
    Delimiter delimiter{.begin = begin, .end = at, .is_closing = body.substr(at).starts_with("--")};
    if (delimiter.is_closing) at += 2;
    at = std::min(body.find_first_not_of(" \t", at), body.size());
    if (at == body.size() && delimiter.is_closing) {
        delimiter.end = at;
        return delimiter;
    }
    if (!body.substr(at).starts_with(line_end)) return std::nullopt;
    delimiter.end = at + line_end.size();
    return delimiter;
}

std::optional<Delimiter> find_delimiter(
    std::string_view body, std::string_view dashes_boundary, std::size_t from
)
{
    if (from == 0 && body.starts_with(dashes_boundary)) {
        if (const auto first = complete(body, 0, dashes_boundary.size())) return first;
    }
    const std::string wanted = std::string{line_end} + std::string{dashes_boundary};
    for (std::size_t at = body.find(wanted, from); at != std::string_view::npos;
         at = body.find(wanted, at + 1)) {
        if (const auto found = complete(body, at, at + wanted.size())) return found;
    }
    return std::nullopt;
}

std::unexpected<MultipartFault> refuse(
    std::size_t offset, std::string_view reason, std::string_view reason_portuguese
)
{
    return std::unexpected(MultipartFault{offset, reason, reason_portuguese});
}

// `text` is what stands between two delimiters, at `offset` in the body.
std::expected<Part, MultipartFault> parse_part(std::string_view text, std::size_t offset)
{
    Part part;
    std::size_t at = 0;
    while (!text.substr(at).starts_with(line_end)) {
        const std::size_t end = text.find(line_end, at);
        if (end == std::string_view::npos) {
            return refuse(
                offset + at,
                "an empty line after the headers of a part is missing",
                "falta a linha vazia depois dos cabeçalhos de uma parte"
            );
        }
        const std::string_view line = text.substr(at, end - at);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !http::is_token(line.substr(0, colon))) {
            return refuse(
                offset + at,
                "a header of a part cannot be read",
                "um cabeçalho de uma parte não pode ser lido"
            );
        }
        part.headers.emplace_back(
            http::to_lower_ascii(line.substr(0, colon)), http::trim(line.substr(colon + 1))
        );
        at = end + line_end.size();
    }
    part.content = text.substr(at + line_end.size());
    return part;
}

}  // namespace

std::expected<std::vector<Part>, MultipartFault> parse_multipart(
    std::string_view body, std::string_view boundary
)
{
    if (boundary.empty() || boundary.size() > boundary_chars_max) {
        return refuse(
            0,
            "the boundary has 1 to 70 characters",
            "o delimitador (boundary) tem de 1 a 70 caracteres"
        );
    }
    const std::string dashes_boundary = "--" + std::string{boundary};
    std::optional<Delimiter> previous = find_delimiter(body, dashes_boundary, 0);
    if (!previous) {
        return refuse(0, "the first boundary is missing", "falta o primeiro delimitador");
    }
    std::vector<Part> parts;
    while (!previous->is_closing) {
        // The line end of one delimiter may begin the next: a part without headers and content.
        const std::size_t from = previous->end - line_end.size();
        const std::optional<Delimiter> next = find_delimiter(body, dashes_boundary, from);
        if (!next) {
            return refuse(
                body.size(), "the closing boundary is missing", "falta o delimitador final"
            );
        }
        const std::size_t begin = previous->end;
        const std::size_t size = next->begin > begin ? next->begin - begin : 0;
        auto part = parse_part(body.substr(begin, size), begin);
        if (!part) return std::unexpected(part.error());
        parts.push_back(*std::move(part));
        previous = next;
    }
    return parts;
}

std::string to_canonical(const std::vector<Part>& parts)
{
    std::string canonical;
    for (const Part& part : parts) {
        std::string headers;
        for (const auto& [name, value] : part.headers) {
            append_packed(headers, name);
            append_packed(headers, value);
        }
        append_packed(canonical, headers);
        append_packed(canonical, part.content);
    }
    return canonical;
}

}  // namespace umavez::key_protocol
