#include "http/trace_context.hpp"

#include "http/header_syntax.hpp"
#include "http/message.hpp"

#include <algorithm>

namespace umavez::http {
namespace {

constexpr std::size_t known_chars = 2 + 1 + 32 + 1 + 16 + 1 + 2;

bool is_hex(std::string_view text) noexcept
{
    return std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

bool is_zero(std::string_view text) noexcept
{
    return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

bool TraceContext::is_sampled() const noexcept
{
    const char last = traceparent.back();
    const int digit = last <= '9' ? last - '0' : last - 'a' + 10;
    return digit % 2 == 1;
}

std::optional<TraceContext> parse_traceparent(std::string_view value)
{
    value = trim(value);
    if (value.size() < known_chars) return std::nullopt;
    if (value[2] != '-' || value[35] != '-' || value[52] != '-') return std::nullopt;
    const std::string_view version = value.substr(0, 2);
    const std::string_view trace_id = value.substr(3, 32);
    const std::string_view parent_id = value.substr(36, 16);
    const std::string_view flags = value.substr(53, 2);
    for (const std::string_view part : {version, trace_id, parent_id, flags}) {
        if (!is_hex(part)) return std::nullopt;
    }
    if (version == "ff" || is_zero(trace_id) || is_zero(parent_id)) return std::nullopt;
    const std::string_view rest = value.substr(known_chars);
    if (version == "00" ? !rest.empty() : !rest.empty() && rest.front() != '-') return std::nullopt;
    return TraceContext{"00" + std::string{value.substr(2, known_chars - 2)}};
}

std::optional<TraceContext> find_trace_context(const std::vector<Header>& headers)
{
    const HeaderLines found = find_lines(headers, "traceparent");
    return found.count == 1 ? parse_traceparent(found.value) : std::nullopt;
}

}  // namespace umavez::http
