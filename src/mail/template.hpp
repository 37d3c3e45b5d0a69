#pragma once

// Template: a text with {{names}} that are replaced for each recipient. A value is only ever text: braces
// in it mean nothing, and in HTML its special characters are escaped. "{{{{" stands for two braces as they
// are. Immutable, thread-safe.

#include <umavez/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::mail {

inline constexpr std::size_t field_name_bytes_max = 100;

// How a name in a template and the title of a column are compared: without blanks around it, and in lower
// case (ASCII and the letters of Portuguese).
std::string to_field_name(std::string_view text);

enum class Escaping : std::uint8_t { none, html };

class Template {
public:
    // invalid_argument: braces that are not closed, or a name that none can be. The detail, in Portuguese,
    // says which line of the text.
    static Result<Template> parse(std::string_view text);

    // Each once, as to_field_name has them, in the order of the text.
    const std::vector<std::string>& names() const noexcept { return names_; }

    // `lookup` is asked with such a name; an empty value is as good as any.
    using Lookup = std::function<std::string_view(std::string_view name)>;
    std::string render(const Lookup& lookup, Escaping escaping) const;

private:
    struct Piece {
        std::string literal;
        std::string name;  // what follows it; empty: nothing
    };

    void add_name(std::string name);

    std::vector<Piece> pieces_;
    std::vector<std::string> names_;
};

}  // namespace umavez::mail
