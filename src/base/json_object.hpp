#pragma once

// JsonObject: an object written member by member, in the order of the calls. Confined to its
// thread.

#include "base/json_text.hpp"
#include "base/rfc3339.hpp"

#include <umavez/time.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez {

class JsonObject {
public:
    JsonObject& text(std::string_view name, std::string_view value)
    {
        return raw(name, to_json_text(value));
    }
    JsonObject& text_unless_empty(std::string_view name, std::string_view value)
    {
        return value.empty() ? *this : text(name, value);
    }
    JsonObject& number(std::string_view name, std::integral auto value)
    {
        return raw(name, std::to_string(value));
    }
    JsonObject& boolean(std::string_view name, bool value)
    {
        return raw(name, value ? "true" : "false");
    }
    JsonObject& instant(std::string_view name, std::optional<Instant> value)
    {
        return raw(name, value ? to_json_text(to_rfc3339(*value)) : "null");
    }
    // `json` is JSON already.
    JsonObject& raw(std::string_view name, std::string_view json)
    {
        text_ += text_.empty() ? '{' : ',';
        append_json_text(text_, name);
        text_ += ':';
        text_ += json;
        return *this;
    }

    bool is_empty() const noexcept { return text_.empty(); }
    std::string str() const { return text_.empty() ? "{}" : text_ + '}'; }

private:
    std::string text_;
};

// "[1,2]" of elements that `to_json` makes JSON of.
template <typename Elements, typename ToJson>
std::string to_json_array(const Elements& elements, ToJson to_json)
{
    std::string text = "[";
    for (const auto& element : elements) {
        if (text.size() > 1) text += ',';
        text += to_json(element);
    }
    return text + ']';
}

// Of elements that are JSON already.
inline std::string to_json_array(const std::vector<std::string>& elements)
{
    return to_json_array(elements, [](const std::string& json) -> const std::string& { return json; });
}

}  // namespace umavez
