#include "modules/mailing/csv_record.hpp"

#include "modules/mailing/csv_text.hpp"

#include <algorithm>
#include <optional>

namespace umavez::mailing {
namespace {

enum class At : std::uint8_t { start, plain, quoted, quote };

// What follows one character. `quote`: a quote inside quotes, whose meaning the next character tells.
At after(At at, char c, char delimiter) noexcept
{
    switch (at) {
        case At::start:
            if (c == '"') return At::quoted;
            if (c == delimiter || c == ' ') return At::start;
            return At::plain;
        case At::plain: return c == delimiter ? At::start : At::plain;
        case At::quoted: return c == '"' ? At::quote : At::quoted;
        case At::quote:
            if (c == '"') return At::quoted;
            return c == delimiter ? At::start : At::plain;
    }
    return At::plain;
}

bool is_line_end(char c) noexcept
{
    return c == '\n' || c == '\r';
}

// The number of bytes of the line end at `at`.
std::size_t line_end_bytes(std::string_view text, std::size_t at) noexcept
{
    return text.substr(at).starts_with("\r\n") ? 2 : 1;
}

FoundRecord found(RecordShape shape, std::string_view text, std::size_t end, std::int64_t lines)
{
    const std::size_t line_end = end == text.size() ? 0 : line_end_bytes(text, end);
    return {.shape = shape, .text_bytes = end, .bytes = end + line_end, .lines = lines};
}

}  // namespace

FoundRecord find_record(std::string_view text, char delimiter)
{
    At state = At::start;
    std::int64_t lines = 1;
    std::optional<std::size_t> first_end;  // of the line on which it begins
    const std::size_t limit = std::min(text.size(), record_bytes_max + 1);
    for (std::size_t at = 0; at < limit; ++at) {
        const char c = text[at];
        if (!is_line_end(c)) {
            state = after(state, c, delimiter);
            continue;
        }
        if (state != At::quoted) return found(RecordShape::whole, text, at, lines);
        if (!first_end) first_end = at;
        if (++lines > static_cast<std::int64_t>(record_lines_max)) break;
        at += line_end_bytes(text, at) - 1;
    }
    if (state == At::quoted && first_end) {
        return found(RecordShape::unclosed, text, *first_end, 1);
    }
    if (limit > record_bytes_max) {
        return first_end ? found(RecordShape::unclosed, text, *first_end, 1)
                         : FoundRecord{RecordShape::too_long, limit, limit, 0};
    }
    const auto shape = state == At::quoted ? RecordShape::unclosed : RecordShape::whole;
    return found(shape, text, text.size(), lines);
}

void split_record(std::string_view text, char delimiter, std::vector<std::string>& fields)
{
    const bool is_text = is_utf8_text(text);
    std::size_t count = 0;
    std::size_t from = 0;
    std::string raw;
    At state = At::start;
    while (from <= text.size()) {
        raw.clear();
        state = At::start;
        std::size_t at = from;
        for (; at < text.size(); ++at) {
            const char c = text[at];
            const At next = after(state, c, delimiter);
            if (c == delimiter && state != At::quoted) break;
            const bool is_syntax = next == At::quote || (state == At::start && next != At::plain);
            if (!is_syntax) raw += c;
            state = next;
        }
        if (count == fields.size()) fields.emplace_back();
        fields[count] = is_text ? raw : from_windows_1252(raw);
        trim(fields[count]);
        ++count;
        from = at + 1;
    }
    fields.resize(count);
}

}  // namespace umavez::mailing
