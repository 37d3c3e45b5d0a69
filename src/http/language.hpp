#pragma once

// The two languages this server speaks to people, and the choice between them.
//
// Clients read problem types, which never change; people read titles and details, which exist in
// both languages. Pure, thread-safe.

#include <umavez/response.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::http {

enum class Language : std::uint8_t { english, portuguese };

// "en", "pt-BR": the value of Content-Language, and of lang in a page.
std::string_view to_tag(Language language) noexcept;

// The same sentence in both languages.
struct Text {
    std::string english;
    std::string portuguese;

    const std::string& in(Language language) const noexcept
    {
        return language == Language::portuguese ? portuguese : english;
    }
    friend bool operator==(const Text&, const Text&) = default;
};

// By Accept-Language (RFC 9110, 12.5.4): the language with the higher quality, of two equals the
// one named first. Any variant of Portuguese (pt, pt-BR, pt-PT) asks for Portuguese; without a wish
// that can be met, or with one that cannot be read, the answer is English.
Language choose_language(const std::vector<Header>& headers);

}  // namespace umavez::http
