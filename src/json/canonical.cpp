#include "json/canonical.hpp"

#include "json/number.hpp"

#include <cstdint>
#include <string_view>
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

// Walks without recursion, because the depth is the sender's choice.
class Printer {
public:
    Printer(const JsonNodes& tree, Output& output) : tree_(tree), output_(output) {}

    void print(std::uint32_t node);

private:
    // A container whose children are being printed: for an array, `next` is the node of an element,
    // for an object the place of a name among the members.
    struct Open {
        std::uint32_t container;
        std::uint32_t next;
    };

    bool is_container(std::uint32_t node) const noexcept
    {
        return tree_.nodes[node].kind >= JsonKind::array;
    }
    const char* text_end() const noexcept { return tree_.text.data() + tree_.text.size(); }
    void open(std::uint32_t container);
    void print_elements(std::uint32_t array, std::uint32_t element);
    void print_members(std::uint32_t object, std::uint32_t place);
    void print_scalar(std::uint32_t node);
    void print_member(std::uint32_t name);

    const JsonNodes& tree_;
    Output& output_;
    std::vector<Open> open_;
};

void Printer::print(std::uint32_t node)
{
    if (!is_container(node)) return print_scalar(node);
    open_.reserve(16);
    open(node);
    while (!open_.empty()) {
        const Open& innermost = open_.back();
        if (tree_.nodes[innermost.container].kind == JsonKind::array) {
            print_elements(innermost.container, innermost.next);
        } else {
            print_members(innermost.container, innermost.next);
        }
    }
}

void Printer::open(std::uint32_t container)
{
    const bool is_array = tree_.nodes[container].kind == JsonKind::array;
    output_.append(is_array ? '[' : '{');
    open_.push_back({container, is_array ? container + 1 : tree_.nodes[container].begin + 1});
}

// Prints scalars up to the first element that is itself a container, and opens that; or closes the
// array.
void Printer::print_elements(std::uint32_t array, std::uint32_t element)
{
    const std::uint32_t first = array + 1;
    const std::uint32_t end = tree_.nodes[array].end;
    for (; element != end; ++element) {
        if (element != first) output_.append(',');
        if (is_container(element)) {
            open_.back().next = tree_.node_after(element);
            return open(element);
        }
        print_scalar(element);
    }
    output_.append(']');
    open_.pop_back();
}

void Printer::print_members(std::uint32_t object, std::uint32_t place)
{
    const std::uint32_t first = tree_.nodes[object].begin + 1;
    const std::uint32_t end = first + tree_.members[first - 1];
    for (; place != end; ++place) {
        if (place != first) output_.append(',');
        const std::uint32_t name = tree_.members[place];
        print_member(name);
        if (is_container(name + 1)) {
            open_.back().next = place + 1;
            return open(name + 1);
        }
    }
    output_.append('}');
    open_.pop_back();
}

void Printer::print_scalar(std::uint32_t node)
{
    if (tree_.nodes[node].is_plain) {
        output_.append_within(tree_.text_at(node), text_end());
    } else if (tree_.nodes[node].kind == JsonKind::string) {
        print_canonical_string(tree_.string_at(node), output_);
    } else {
        print_canonical(to_decimal(tree_.text_at(node)), output_);
    }
}

// The name and, unless it is a container, the value.
void Printer::print_member(std::uint32_t name)
{
    const JsonNode& left = tree_.nodes[name];
    const JsonNode& right = tree_.nodes[name + 1];
    // Most senders put nothing but the colon between the two: then one copy does for all three.
    if (left.is_plain && right.is_plain && left.end + 1 == right.begin) {
        const std::string_view member{tree_.text.data() + left.begin, right.end - left.begin};
        return output_.append_within(member, text_end());
    }
    print_scalar(name);
    output_.append(':');
    if (!is_container(name + 1)) print_scalar(name + 1);
}

}  // namespace

void print_canonical_string(std::string_view text, Output& output)
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

void print_canonical(const JsonTree& tree, Output& output)
{
    print_canonical(tree.root(), output);
}

void print_canonical(JsonValue value, Output& output)
{
    Printer{*value.nodes_, output}.print(value.node_);
}

}  // namespace umavez
