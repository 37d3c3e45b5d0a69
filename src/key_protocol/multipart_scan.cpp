#include "key_protocol/multipart_scan.hpp"

#include "http/header_syntax.hpp"

#include <algorithm>
#include <expected>
#include <string>

namespace umavez::key_protocol {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t boundary_chars_max = 70;  // RFC 2046, 5.1.1

// A line that consists of "--boundary", perhaps "--", and perhaps blanks.
struct Delimiter {
    std::uint64_t begin = 0;  // of the line end that belongs to it
    std::uint64_t end = 0;    // of what belongs to it
    bool is_closing = false;
};

class Scanner {
public:
    Scanner(MultipartBytes& body, std::string_view boundary, const MultipartLimits& limits)
        : body_(body), wanted_("\r\n--" + std::string{boundary}), limits_(limits)
    {
    }

    std::optional<Delimiter> find_delimiter(std::uint64_t from)
    {
        const std::string_view first = std::string_view{wanted_}.substr(line_end.size());
        if (from == 0 && body_.at(0, first.size()) == first) {
            if (const auto found = complete(0, first.size())) return found;
        }
        for (auto at = body_.find(wanted_, from); at; at = body_.find(wanted_, *at + 1)) {
            if (const auto found = complete(*at, *at + wanted_.size())) return found;
        }
        return std::nullopt;
    }

    // What stands between two delimiters.
    std::expected<ScannedPart, MultipartFault> read_part(std::uint64_t begin, std::uint64_t end)
    {
        const std::uint64_t size = end > begin ? end - begin : 0;
        const std::size_t head_bytes = std::min<std::uint64_t>(size, limits_.head_bytes_max);
        const std::string_view text = body_.at(begin, head_bytes);
        ScannedPart part;
        std::size_t at = 0;
        while (!text.substr(at).starts_with(line_end)) {
            const std::size_t line = text.find(line_end, at);
            if (line == std::string_view::npos) {
                return std::unexpected(
                    size > head_bytes ? long_head(begin) : endless_head(begin + at)
                );
            }
            auto header = read_header(text.substr(at, line - at), begin + at);
            if (!header) return std::unexpected(header.error());
            part.headers.push_back(*std::move(header));
            at = line + line_end.size();
        }
        at += line_end.size();
        part.offset = begin + at;
        part.bytes = size - at;
        return part;
    }

private:
    // Looks at the text after "--boundary". Something else than blanks makes it ordinary content: the
    // boundary of another body may begin with ours.
    std::optional<Delimiter> complete(std::uint64_t begin, std::uint64_t after)
    {
        const std::size_t rest_bytes = limits_.blanks_max + 4;
        const std::string_view rest = body_.at(after, rest_bytes);
        const bool is_closing = rest.starts_with("--");
        const std::size_t at =
            std::min(rest.find_first_not_of(" \t", is_closing ? 2 : 0), rest.size());
        const bool is_end = after + rest.size() == body_.size() && at == rest.size();
        if (is_end && is_closing) return Delimiter{begin, after + at, true};
        if (!rest.substr(at).starts_with(line_end)) return std::nullopt;
        // What follows the two dashes of a closing one, blanks and a line end, is the epilogue's.
        return Delimiter{begin, after + at + line_end.size(), is_closing};
    }

    static MultipartFault long_head(std::uint64_t offset)
    {
        return {
            offset,
            "the headers of a part are too long",
            "os cabeçalhos de uma parte são longos demais"
        };
    }

    static MultipartFault endless_head(std::uint64_t offset)
    {
        return {
            offset,
            "an empty line after the headers of a part is missing",
            "falta a linha vazia depois dos cabeçalhos de uma parte",
        };
    }

    static std::expected<std::pair<std::string, std::string_view>, MultipartFault> read_header(
        std::string_view line, std::uint64_t offset
    )
    {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !http::is_token(line.substr(0, colon))) {
            return std::unexpected(MultipartFault{
                offset,
                "a header of a part cannot be read",
                "um cabeçalho de uma parte não pode ser lido",
            });
        }
        return std::pair{
            http::to_lower_ascii(line.substr(0, colon)), http::trim(line.substr(colon + 1))
        };
    }

    MultipartBytes& body_;
    const std::string wanted_;
    const MultipartLimits& limits_;
};

}  // namespace

std::optional<MultipartFault> scan_multipart(
    MultipartBytes& body,
    std::string_view boundary,
    const MultipartLimits& limits,
    const OnPart& on_part
)
{
    if (boundary.empty() || boundary.size() > boundary_chars_max) {
        return MultipartFault{
            0,
            "the boundary has 1 to 70 characters",
            "o delimitador (boundary) tem de 1 a 70 caracteres",
        };
    }
    Scanner scanner{body, boundary, limits};
    std::optional<Delimiter> previous = scanner.find_delimiter(0);
    if (!previous) {
        return MultipartFault{0, "the first boundary is missing", "falta o primeiro delimitador"};
    }
    for (std::size_t count = 0; !previous->is_closing; ++count) {
        if (count == limits.parts_max)
            return MultipartFault{previous->begin, "there are too many parts", "há partes demais"};
        // The line end of one delimiter may begin the next: a part without headers and content.
        const auto next = scanner.find_delimiter(previous->end - line_end.size());
        if (!next) {
            return MultipartFault{
                body.size(), "the closing boundary is missing", "falta o delimitador final"
            };
        }
        auto part = scanner.read_part(previous->end, next->begin);
        if (!part) return part.error();
        if (auto fault = on_part(*std::move(part))) return fault;
        previous = next;
    }
    return std::nullopt;
}

}  // namespace umavez::key_protocol
