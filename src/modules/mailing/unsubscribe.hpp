#pragma once

// The link by which a recipient unsubscribes: its text, and the pages behind it. Nothing on them tells
// whose address it is, and a link that nobody was sent looks the same whatever addresses there are. Pure,
// thread-safe.

#include "http/language.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::mailing {

// "17-4f0c…": the entry and its token, as the last segment of the path.
struct UnsubscribeToken {
    std::int64_t entry_id = 0;
    std::string_view token;  // of the text that was parsed
};
std::optional<UnsubscribeToken> parse_unsubscribe_token(std::string_view text) noexcept;

// In a time that does not depend on where they differ.
bool is_same_token(std::string_view left, std::string_view right);

enum class UnsubscribePage : std::uint8_t {
    ask,      // a button
    done,     // it was pressed
    unknown,  // no such link
};
http::Response show_unsubscribe_page(UnsubscribePage page, http::Language language);

}  // namespace umavez::mailing
