#pragma once

// A second reader of I-JSON: slow, obvious, and without a line in common with src/json.
//
// Differential tests ask both about the same text. This one works on copies: strings are UTF-16 and
// names sorted by std::map, numbers are digit strings with a decimal exponent, overflow is strtod's
// opinion. Thread-safe.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::reference {

struct Value {
    char kind = 'n';  // the first character of null, true, false, "string", [array], {object}; 0
    std::string digits{};    // of a number: sign and significant digits, "" for zero
    long long exponent = 0;  // of the last digit
    std::u16string string{};
    std::vector<Value> elements{};
    std::map<std::u16string, Value> members{};

    friend bool operator==(const Value&, const Value&) = default;
};

// Absent where the text is no I-JSON or nested too deep.
std::optional<Value> read(std::string_view text, std::size_t depth_max = 512);

}  // namespace umavez::reference
