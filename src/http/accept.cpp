#include "http/accept.hpp"

#include "http/header_syntax.hpp"

#include <optional>
#include <string>

namespace umavez::http {
namespace {

// How closely a range names a type; nullopt: it does not.
std::optional<int> closeness(std::string_view range, std::string_view type)
{
    if (range == type) return 2;
    if (range == "*/*") return 0;
    if (range.ends_with("/*") && type.starts_with(range.substr(0, range.size() - 1))) return 1;
    return std::nullopt;
}

int quality_of(std::string_view type, const std::vector<std::string_view>& elements)
{
    int closest = -1;
    int quality = 0;
    for (const std::string_view element : elements) {
        const std::vector<std::string_view> pieces = split_outside_quotes(element, ';');
        const auto found = closeness(to_lower_ascii(trim(pieces.front())), type);
        if (!found || *found <= closest) continue;
        const std::optional<int> wished = find_quality(pieces);
        if (!wished) continue;
        closest = *found;
        quality = *wished;
    }
    return quality;
}

}  // namespace

std::size_t choose_media_type(
    const std::vector<Header>& headers, std::span<const std::string_view> offered
)
{
    const std::vector<std::string_view> elements = list_elements(headers, "Accept");
    std::size_t best = 0;
    int best_quality = 0;
    for (std::size_t place = 0; place < offered.size(); ++place) {
        const int quality = quality_of(offered[place], elements);
        if (quality <= best_quality) continue;
        best = place;
        best_quality = quality;
    }
    return best;
}

}  // namespace umavez::http
