#pragma once

// Writer: XML that we make, escaped where it must be, without a blank that nobody asked for: signed documents
// have none. Confined to its thread.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::xml {

// Whether XML can say this text at all: UTF-8 without control characters but tab and line breaks.
bool is_sayable(std::string_view text) noexcept;

// For content and for attributes in double quotes. What cannot be said is left out.
std::string escape(std::string_view text);

class Writer {
public:
    using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    Writer& open(std::string_view name, Attributes attributes = {});
    Writer& close();                                                // what was opened last
    Writer& element(std::string_view name, std::string_view text);  // with nothing but text
    std::string finish() &&;                                        // closes all that is open

private:
    std::string text_;
    std::vector<std::string> open_;
};

}  // namespace umavez::xml
