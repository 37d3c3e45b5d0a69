#include "http/language.hpp"

#include "http/header_syntax.hpp"
#include "http/message.hpp"

#include <optional>

namespace umavez::http {
namespace {

struct Wish {
    std::string range;  // lower case
    int quality = 1000;
};

std::optional<Wish> parse_wish(std::string_view element)
{
    const std::vector<std::string_view> pieces = split_outside_quotes(element, ';');
    Wish wish{.range = to_lower_ascii(trim(pieces.front()))};
    if (wish.range.empty()) return std::nullopt;
    const std::optional<int> quality = find_quality(pieces);
    if (!quality) return std::nullopt;
    wish.quality = *quality;
    return wish;
}

bool is_within(std::string_view range, std::string_view language) noexcept
{
    if (!range.starts_with(language)) return false;
    return range.size() == language.size() || range[language.size()] == '-';
}

// What is wished of one language, and where in the list that was said.
struct Rank {
    int quality = 0;
    std::size_t place = 0;
};

Rank rank_of(std::string_view language, const std::vector<Wish>& wishes)
{
    Rank named;
    Rank any;
    bool is_named = false;
    for (std::size_t place = 0; place < wishes.size(); ++place) {
        const Wish& wish = wishes[place];
        if (is_within(wish.range, language)) {
            if (!is_named || wish.quality > named.quality) named = {wish.quality, place};
            is_named = true;
        } else if (wish.range == "*") {
            any = {wish.quality, place};
        }
    }
    // "*" speaks of the languages that are not in the list.
    return is_named ? named : any;
}

}  // namespace

std::string_view to_tag(Language language) noexcept
{
    return language == Language::portuguese ? "pt-BR" : "en";
}

Language choose_language(const std::vector<Header>& headers)
{
    if (!find_header(headers, "Accept-Language")) return Language::english;  // most programs
    std::vector<Wish> wishes;
    for (const std::string_view element : list_elements(headers, "Accept-Language")) {
        if (auto wish = parse_wish(element)) wishes.push_back(*std::move(wish));
    }
    const Rank english = rank_of("en", wishes);
    const Rank portuguese = rank_of("pt", wishes);
    const bool is_wished = portuguese.quality > english.quality ||
                           (portuguese.quality == english.quality && portuguese.quality > 0 &&
                            portuguese.place < english.place);
    return is_wished ? Language::portuguese : Language::english;
}

}  // namespace umavez::http
