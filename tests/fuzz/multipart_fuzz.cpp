// Hostile forms in files.
//
// An input is a line with the boundary, and the body. What is found in the file must be what the
// parser in memory finds, whose parts lie inside the body; and names must come out of
// Content-Disposition the same way twice.

#include "key_protocol/content_disposition.hpp"
#include "key_protocol/multipart.hpp"
#include "key_protocol/multipart_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

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
    if (const auto named = parse_form_disposition(body)) {
        require(parse_form_disposition(body)->filename == named->filename, "names are stable");
    }
    return 0;
}
