#include "json/canonical.hpp"

#include "json/number.hpp"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace umavez {
namespace {

// The two-character escape of a control character, a quote or a backslash; 0 where there is none.
char short_escape(char c) noexcept
{
    switch (c) {
        case '"':
        case '\\': return c;
        case '\b': return 'b';
        case '\t': return 't';
        case '\n': return 'n';
        case '\f': return 'f';
        case '\r': return 'r';
        default: return '\0';
    }
}

void print_string(std::string_view text, Output& output)
{
    output.append('"');
    for (const char c : text) {
        if (const char escape = short_escape(c); escape != '\0') {
            output.append('\\');
            output.append(escape);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            output.append("\\u00");
            output.append(static_cast<char>('0' + (c >> 4)));
            output.append("0123456789abcdef"[c & 15]);
        } else {
            output.append(c);
        }
    }
    output.append('"');
}

void print_scalar(JsonValue value, Output& output)
{
    if (value.is_plain()) {
        output.append(value.text());
    } else if (value.kind() == JsonKind::string) {
        print_string(value.string(), output);
    } else {
        print_canonical(to_decimal(value.number()), output);
    }
}

// What is left to print of an open container.
struct OpenArray {
    JsonElements::Iterator next;
    JsonElements::Iterator end;
    bool is_first = true;
};

struct OpenObject {
    JsonMembers::Iterator next;
    JsonMembers::Iterator end;
    bool is_first = true;
};

using OpenContainer = std::variant<OpenArray, OpenObject>;

// Prints scalars until there is a child that is itself a container, or none.
std::optional<JsonValue> print_scalars(OpenArray& array, Output& output)
{
    while (array.next != array.end) {
        if (!std::exchange(array.is_first, false)) output.append(',');
        const JsonValue element = *array.next;
        ++array.next;
        if (element.is_container()) return element;
        print_scalar(element, output);
    }
    output.append(']');
    return std::nullopt;
}

std::optional<JsonValue> print_scalars(OpenObject& object, Output& output)
{
    while (object.next != object.end) {
        if (!std::exchange(object.is_first, false)) output.append(',');
        const auto [name, value] = *object.next;
        ++object.next;
        print_scalar(name, output);
        output.append(':');
        if (value.is_container()) return value;
        print_scalar(value, output);
    }
    output.append('}');
    return std::nullopt;
}

OpenContainer open_container(JsonValue value, Output& output)
{
    if (value.kind() == JsonKind::array) {
        output.append('[');
        const JsonElements elements = value.elements();
        return OpenArray{elements.begin(), elements.end()};
    }
    output.append('{');
    const JsonMembers members = value.members();
    return OpenObject{members.begin(), members.end()};
}

}  // namespace

// Walks without recursion, because the depth is the sender's choice.
void print_canonical(JsonValue value, Output& output)
{
    if (!value.is_container()) return print_scalar(value, output);
    std::vector<OpenContainer> open{open_container(value, output)};
    while (!open.empty()) {
        const auto child = std::visit(
            [&output](auto& container) { return print_scalars(container, output); }, open.back()
        );
        if (child) {
            open.push_back(open_container(*child, output));
        } else {
            open.pop_back();
        }
    }
}

}  // namespace umavez
