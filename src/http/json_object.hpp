#pragma once

// JsonObject: an object written member by member, in the order in which they are added. For
// documents of our own; the values are JSON already.

#include "base/json_text.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::http {

class JsonObject {
public:
    void add(std::string_view name, std::string_view json)
    {
        if (!members_.empty()) members_ += ',';
        append_json_text(members_, name);
        members_ += ':';
        members_ += json;
    }
    // An empty text is left out.
    void add_text(std::string_view name, std::string_view text)
    {
        if (!text.empty()) add(name, to_json_text(text));
    }
    bool is_empty() const noexcept { return members_.empty(); }
    std::string text() const { return "{" + members_ + "}"; }

private:
    std::string members_;
};

inline std::string to_json_array(const std::vector<std::string>& values)
{
    std::string out = "[";
    for (const std::string& value : values) {
        if (out.size() > 1) out += ',';
        out += value;
    }
    return out + "]";
}

}  // namespace umavez::http
