#pragma once

// The names of C++ types, known to the compiler: "CreateOrder" and, as commands are called,
// "create_order". All of it is computed at compile time.

#include <array>
#include <cstddef>
#include <string_view>

namespace umavez::detail {

template <typename T>
consteval std::string_view qualified_name_of()
{
    // "… [with T = shop::CreateOrder; …]" (g++), "… [T = shop::CreateOrder]" (clang)
    constexpr std::string_view text = __PRETTY_FUNCTION__;
    constexpr std::size_t begin = text.find("T = ") + 4;
    constexpr std::size_t end = text.find_first_of(";]", begin);
    return text.substr(begin, end - begin);
}

// Without its namespaces. A template's arguments stay with it.
template <typename T>
consteval std::string_view type_name_of()
{
    const std::string_view name = qualified_name_of<T>();
    std::size_t begin = 0;
    for (std::size_t i = 0; i + 1 < name.size() && name[i] != '<'; ++i) {
        if (name[i] == ':' && name[i + 1] == ':') begin = i + 2;
    }
    return name.substr(begin);
}

constexpr bool is_upper(char c) noexcept
{
    return c >= 'A' && c <= 'Z';
}
constexpr bool is_lower(char c) noexcept
{
    return c >= 'a' && c <= 'z';
}
constexpr char to_lower(char c) noexcept
{
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

// CreateOrder, createOrder and create_order are all "create_order"; HTTPCall is "http_call".
template <typename T>
struct SnakeCase {
    static constexpr std::string_view from = type_name_of<T>();

    static constexpr bool begins_word(std::size_t i) noexcept
    {
        if (i == 0 || !is_upper(from[i]) || from[i - 1] == '_') return false;
        return !is_upper(from[i - 1]) || (i + 1 < from.size() && is_lower(from[i + 1]));
    }
    static constexpr std::size_t size = [] {
        std::size_t words = 0;
        for (std::size_t i = 0; i < from.size(); ++i) words += begins_word(i) ? 1u : 0u;
        return from.size() + words;
    }();
    static constexpr std::array<char, size> characters = [] {
        std::array<char, size> made{};
        std::size_t used = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (begins_word(i)) made[used++] = '_';
            made[used++] = to_lower(from[i]);
        }
        return made;
    }();
    static constexpr std::string_view text{characters.data(), size};
};

}  // namespace umavez::detail
