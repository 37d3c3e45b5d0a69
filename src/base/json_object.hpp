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

namespace umavez {

class JsonObject {
public:
    JsonObject& text(std::string_view name, std::string_view value)
    {
        return raw(name, to_json_text(value));
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

    std::string str() const { return text_.empty() ? "{}" : text_ + '}'; }

private:
    std::string text_;
};

// "[1,2]" of elements that are JSON already.
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

}  // namespace umavez
