#include "webhook/timed_signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez::webhook {
namespace {

std::string_view trim(std::string_view text) noexcept
{
    constexpr std::string_view blanks = " \t";
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    const std::size_t end = text.find_last_not_of(blanks) + 1;
    return text.substr(begin, std::max(begin, end) - begin);
}

using Pair = std::pair<std::string_view, std::string_view>;

Pair to_pair(std::string_view text, Blanks blanks) noexcept
{
    const std::size_t equals = std::min(text.find('='), text.size());
    const Pair pair{text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))};
    if (blanks == Blanks::are_text) return pair;
    return {trim(pair.first), trim(pair.second)};
}

}  // namespace

std::expected<TimedSignature, Refusal> parse_timed_signature(
    std::string_view text, const TimedSignatureSyntax& syntax
)
{
    TimedSignature parts;
    bool has_time = false;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const auto [name, value] = to_pair(text.substr(begin, end - begin), syntax.blanks);
        if (name == syntax.time_name) {
            if (std::exchange(has_time, true)) {
                return refuse(
                    Fault::malformed, fmt::format("{} has {} twice", syntax.header, name)
                );
            }
            parts.time = value;
        } else if (name == "v1" && !value.empty()) {
            parts.signatures.push_back(value);
        }
        begin = end + 1;
    }
    if (parts.signatures.size() > signatures_max) {
        return refuse(
            Fault::malformed,
            fmt::format("{} has more than {} signatures", syntax.header, signatures_max)
        );
    }
    if (parts.signatures.empty())
        return refuse(Fault::unsigned_, fmt::format("{} has no v1 signature", syntax.header));
    if (parts.time.empty()) {
        return refuse(
            Fault::bad_timestamp, fmt::format("{} has no {}", syntax.header, syntax.time_name)
        );
    }
    return parts;
}

}  // namespace umavez::webhook
