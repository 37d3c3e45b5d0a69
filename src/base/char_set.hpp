#pragma once

// CharSet: a set of bytes, made when the program is compiled. Immutable.
//
// A look-up for each byte. Much cheaper than string_view::find_first_of and its like, which ask the C
// library about every single character.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace umavez {

class CharSet {
public:
    // Of all bytes for which `is_in(unsigned char)` is true.
    template <typename Predicate>
    explicit consteval CharSet(Predicate is_in)
    {
        for (std::size_t byte = 0; byte < has_.size(); ++byte) {
            has_[byte] = is_in(static_cast<unsigned char>(byte));
        }
    }

    constexpr bool has(char c) const noexcept { return has_[static_cast<unsigned char>(c)]; }

    // How many at the start of `text` are in the set. Four at a time: texts are longer than that, and mostly
    // all of them are.
    constexpr std::size_t count_first(std::string_view text) const noexcept
    {
        std::size_t count = 0;
        while (text.size() - count >= 4 && has_four(text.data() + count)) count += 4;
        while (count < text.size() && has(text[count])) ++count;
        return count;
    }

    constexpr bool has_all(std::string_view text) const noexcept
    {
        return count_first(text) == text.size();
    }

private:
    constexpr bool has_four(const char* at) const noexcept
    {
        // One jump instead of four.
        return (int{has(at[0])} & int{has(at[1])} & int{has(at[2])} & int{has(at[3])}) != 0;
    }

    std::array<bool, 256> has_{};
};

constexpr bool is_letter_or_digit(unsigned char byte) noexcept
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9');
}

constexpr bool is_visible(unsigned char byte) noexcept
{
    return byte > 0x20 && byte < 0x7f;
}

// For predicates: whether `byte` is one of `some`.
constexpr bool is_among(std::string_view some, unsigned char byte) noexcept
{
    return std::ranges::find(some, static_cast<char>(byte)) != some.end();
}

}  // namespace umavez
