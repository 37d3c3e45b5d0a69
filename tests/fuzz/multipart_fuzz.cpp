// Hostile forms in files.
//
// An input is a line with the boundary, and the body. What is found in the file must be what the
// parser in memory finds, whose parts lie inside the body; a second reader, which goes through the body line
// by line, must find the same; and so must the file where the body lies across the edge of a window.

#include "key_protocol/content_disposition.hpp"
#include "key_protocol/multipart.hpp"
#include "key_protocol/multipart_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace umavez;
using namespace umavez::key_protocol;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

// The only reasons that the file has and memory has not: its limits, and parts without a name.
bool is_own_reason(std::string_view reason)
{
    return reason.starts_with("a part has no") || reason == "there are too many parts" ||
           reason == "the headers of a part are too long";
}

bool has_many_blanks(std::string_view body)
{
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const auto run = std::ranges::search_n(body, 200, true, {}, is_blank);
    return !run.empty();
}

void compare(const File& file, std::string_view body, std::string_view boundary)
{
    const auto memory = parse_multipart(body, boundary);
    const auto found = find_form_parts(file, boundary);
    require(found.has_value(), "the file can be read");
    if (!*found) {
        require(!memory || is_own_reason(found->error().reason), "both refuse the same");
        return;
    }
    require(memory.has_value() && memory->size() == (*found)->size(), "both find the same parts");
    for (std::size_t i = 0; i < memory->size(); ++i) {
        const FormPart& part = (**found)[i];
        require(part.offset + part.bytes <= body.size(), "a part lies inside the body");
        require(body.substr(part.offset, part.bytes) == (*memory)[i].content, "contents are equal");
    }
}

// Line by line -----------------------------------------------------------------------------------------

std::vector<std::string> to_lines(std::string text)
{
    std::vector<std::string> lines;
    for (std::size_t end = text.find("\r\n"); end != std::string::npos; end = text.find("\r\n")) {
        lines.push_back(text.substr(0, end));
        text.erase(0, end + 2);
    }
    lines.push_back(text);
    return lines;
}

enum class LineKind : std::uint8_t { content, delimiter, closing };

LineKind kind_of(const std::string& line, const std::string& boundary, bool is_last)
{
    if (!line.starts_with("--" + boundary)) return LineKind::content;
    std::string rest = line.substr(2 + boundary.size());
    const bool is_closing = rest.starts_with("--");
    if (is_closing) rest.erase(0, 2);
    if (rest.find_first_not_of(" \t") != std::string::npos) return LineKind::content;
    if (is_closing) return LineKind::closing;
    return is_last ? LineKind::content : LineKind::delimiter;
}

struct PlainPart {
    std::vector<std::pair<std::string, std::string>> headers;
    std::string content;
};

std::pair<std::string, std::string> to_header(const std::string& line)
{
    constexpr std::string_view token =
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const std::size_t colon = line.find_first_not_of(token);
    if (colon == 0 || colon == std::string::npos || line[colon] != ':') return {};
    std::string name = line.substr(0, colon);
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    if (begin == std::string::npos) return {name, ""};
    return {name, line.substr(begin, line.find_last_not_of(" \t") - begin + 1)};
}

std::optional<PlainPart> to_part(const std::vector<std::string>& lines)
{
    PlainPart part;
    std::size_t at = 0;
    while (at + 1 < lines.size() && !lines[at].empty()) {
        part.headers.push_back(to_header(lines[at++]));
        if (part.headers.back().first.empty()) return std::nullopt;
    }
    // The empty line after the headers ends with a line end of its own.
    if (at + 1 >= lines.size()) return std::nullopt;
    for (++at; at < lines.size(); ++at)
        part.content += lines[at] + (at + 1 < lines.size() ? "\r\n" : "");
    return part;
}

std::optional<std::vector<PlainPart>> read_plainly(
    std::string_view body, const std::string& boundary
)
{
    if (boundary.empty() || boundary.size() > 70) return std::nullopt;
    std::vector<PlainPart> parts;
    std::optional<std::vector<std::string>> between;  // since the last delimiter
    const std::vector<std::string> lines = to_lines(std::string{body});
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const LineKind kind = kind_of(lines[i], boundary, i + 1 == lines.size());
        if (kind == LineKind::content) {
            if (between) between->push_back(lines[i]);
            continue;
        }
        if (between) {
            auto part = to_part(*between);
            if (!part) return std::nullopt;
            parts.push_back(*std::move(part));
        }
        if (kind == LineKind::closing) return parts;
        between.emplace();
    }
    return std::nullopt;
}

void compare_plainly(std::string_view body, const std::string& boundary)
{
    const auto read = parse_multipart(body, boundary);
    const auto plain = read_plainly(body, boundary);
    require(read.has_value() == plain.has_value(), "a second reader reads it, too");
    if (!read) return;
    require(read->size() == plain->size(), "with as many parts");
    for (std::size_t i = 0; i < plain->size(); ++i) {
        require((*read)[i].content == (*plain)[i].content, "of the same contents");
        const auto& headers = (*read)[i].headers;
        require(headers.size() == (*plain)[i].headers.size(), "under as many headers");
        for (std::size_t j = 0; j < headers.size(); ++j) {
            const auto& [name, value] = (*plain)[i].headers[j];
            require(headers[j].first == name && headers[j].second == value, "that are the same");
        }
    }
}

// Behind a preamble that puts the edge of a window somewhere into the body.
void compare_across_windows(std::string_view body, std::string_view boundary)
{
    constexpr std::size_t window_bytes = 64 * 1024;
    const std::size_t into = std::hash<std::string_view>{}(body) % (body.size() + 1);
    std::string shifted(window_bytes - into - 2, 'p');
    shifted += "\r\n";
    shifted += body;
    auto file = File::make_unnamed("/tmp");
    require(file && file->append(shifted), "a file can be made");
    compare(*file, shifted, boundary);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    const std::size_t line = input.find('\n');
    if (line == std::string_view::npos) return 0;
    const std::string_view boundary = input.substr(0, line);
    const std::string_view body = input.substr(line + 1);
    // Blanks after a boundary are bounded in a file alone.
    if (has_many_blanks(body)) return 0;

    auto file = File::make_unnamed("/tmp");
    require(file && file->append(body), "a file can be made");
    compare(*file, body, boundary);
    compare_plainly(body, std::string{boundary});
    if (body.size() < 60'000) compare_across_windows(body, boundary);
    if (const auto named = parse_form_disposition(body)) {
        require(parse_form_disposition(body)->filename == named->filename, "names are stable");
    }
    return 0;
}
