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

// Prints what stands before the next child, or the closing bracket if there is none.
std::optional<JsonValue> advance(OpenArray& array, Output& output)
{
    if (array.next == array.end) {
        output.append(']');
        return std::nullopt;
    }
    if (!std::exchange(array.is_first, false)) output.append(',');
    const JsonValue element = *array.next;
    ++array.next;
    return element;
}

std::optional<JsonValue> advance(OpenObject& object, Output& output)
{
    if (object.next == object.end) {
        output.append('}');
        return std::nullopt;
    }
    if (!std::exchange(object.is_first, false)) output.append(',');
    const JsonMember member = *object.next;
    ++object.next;
    print_scalar(member.name, output);
    output.append(':');
    return member.value;
}

}  // namespace

// Walks without recursion, because the depth is the sender's choice.
void print_canonical(JsonValue value, Output& output)
{
    std::vector<OpenContainer> open;
    std::optional<JsonValue> next = value;
    for (;;) {
        if (!next) {
            open.pop_back();
        } else if (next->kind() == JsonKind::array) {
            output.append('[');
            const JsonElements elements = next->elements();
            open.emplace_back(OpenArray{elements.begin(), elements.end()});
        } else if (next->kind() == JsonKind::object) {
            output.append('{');
            const JsonMembers members = next->members();
            open.emplace_back(OpenObject{members.begin(), members.end()});
        } else {
            print_scalar(*next, output);
        }
        if (open.empty()) return;
        next = std::visit([&](auto& container) { return advance(container, output); }, open.back());
    }
}

}  // namespace umavez
