#include "webhook/setting_words.hpp"

#include "base/nearest.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

namespace umavez::webhook {
namespace {

// The place of the word is the value of the enumerator; the first word is the default.
template <typename Enum>
Result<Enum> parse_word(
    std::string_view setting, std::string_view text, const std::vector<std::string>& words
)
{
    if (text.empty()) return Enum{};
    const auto found = std::ranges::find(words, text);
    if (found != words.end()) return static_cast<Enum>(found - words.begin());
    return fail(
        Errc::misconfigured,
        fmt::format(
            "{}: \"{}\" is not one of {}{}",
            setting,
            shown(text),
            fmt::join(words, ", "),
            suggestion(text, words)
        )
    );
}

}  // namespace

Result<Algorithm> parse_algorithm(std::string_view text)
{
    static_assert(Algorithm{} == Algorithm::sha256 && Algorithm{2} == Algorithm::sha512);
    static const std::vector<std::string> words{"sha256", "sha1", "sha512"};
    return parse_word<Algorithm>("algorithm", text, words);
}

Result<Encoding> parse_encoding(std::string_view text)
{
    static_assert(Encoding{} == Encoding::hex && Encoding{1} == Encoding::base64);
    static const std::vector<std::string> words{"hex", "base64"};
    return parse_word<Encoding>("encoding", text, words);
}

}  // namespace umavez::webhook
