// parse_nodes: from tokens to the flat array of nodes.
//
// No recursion: an open container remembers its parent in its own node, so depth costs no stack,
// and a hostile text costs no memory beyond its nodes. Names are sorted when their object closes.

#include "json/name_sorter.hpp"
#include "json/nodes.hpp"
#include "json/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace umavez {
namespace {

class JsonParser {
public:
    // `tree` holds the text and nothing else.
    JsonParser(JsonNodes& tree, std::size_t depth_max)
        : tree_(tree), depth_max_(depth_max), reader_(tree.text, tree.decoded), names_(tree)
    {
        // Typical documents have a node for every six to eight bytes. Not many at first, because a
        // large text may still be refused at its first byte.
        const std::size_t nodes = std::min<std::size_t>(tree.text.size() / 6 + 4, 16 * 1024);
        tree_.nodes.reserve(nodes);
        tree_.members.reserve(nodes / 2);
    }

    bool parse();
    const std::string& refusal() const noexcept { return reader_.refusal(); }

private:
    using Place = JsonReader::Place;
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    // Whether the next thing is a value, or what follows a value.
    enum class Next : std::uint8_t { value, after_value };

    // Each takes the place of the first byte of what it reads, and returns the place after it and
    // white space; nullptr: refused.
    Place read_value(Place at, Next& next);
    Place read_after_value(Place at, Next& next);
    Place read_scalar(Place at, char first);
    Place read_name(Place at);
    Place open(Place at, JsonKind kind, Next& next);
    Place close(Place at);

    JsonNode& add_node(Place at)
    {
        if (tree_.nodes.is_full()) make_room(at);
        return *tree_.nodes.add(1);
    }
    void make_room(Place at);
    void step_into(std::uint32_t container) noexcept
    {
        open_ = container;
        closing_ = '\0';
        if (container == none) return;
        closing_ = tree_.nodes[container].kind == JsonKind::array ? ']' : '}';
    }

    JsonNodes& tree_;
    std::size_t depth_max_;
    JsonReader reader_;
    std::size_t depth_ = 0;
    // The innermost open container. Until it closes, its node holds its parent (begin) and the
    // number of its children so far (end).
    std::uint32_t open_ = none;
    char closing_ = '\0';  // the bracket that ends it
    NameSorter names_;
};

bool JsonParser::parse()
{
    Place at = tree_.text.data();
    if (tree_.text.starts_with("\xef\xbb\xbf")) {
        reader_.refuse(at, "byte order mark");
        return false;
    }
    at = reader_.skip_space(at);
    Next next = Next::value;
    do {
        at = next == Next::value ? read_value(at, next) : read_after_value(at, next);
        if (at == nullptr) return false;
    } while (next == Next::value || open_ != none);
    if (!reader_.is_end(at)) reader_.refuse(at, "text after the value");
    return reader_.is_end(at);
}

JsonParser::Place JsonParser::read_value(Place at, Next& next)
{
    if (closing_ == '}') {
        at = read_name(at);
        if (at == nullptr) return nullptr;
    }
    if (open_ != none) ++tree_.nodes[open_].end;
    const char first = reader_.peek(at);
    if (first == '{') return open(at, JsonKind::object, next);
    if (first == '[') return open(at, JsonKind::array, next);
    next = Next::after_value;
    at = read_scalar(at, first);
    return at == nullptr ? nullptr : reader_.skip_space(at);
}

JsonParser::Place JsonParser::read_scalar(Place at, char first)
{
    JsonNode& node = add_node(at);
    switch (first) {
        case '"': return reader_.read_string(at, node);
        case 't': return reader_.read_literal(at, "true", JsonKind::boolean, node);
        case 'f': return reader_.read_literal(at, "false", JsonKind::boolean, node);
        case 'n': return reader_.read_literal(at, "null", JsonKind::null, node);
        default: return reader_.read_number(at, node);
    }
}

JsonParser::Place JsonParser::read_name(Place at)
{
    if (reader_.peek(at) != '"') return reader_.refuse(at, "expected a member name");
    at = reader_.read_string(at, add_node(at));
    if (at == nullptr) return nullptr;
    at = reader_.skip_space(at);
    if (reader_.peek(at) != ':') return reader_.refuse(at, "expected ':' after a member name");
    return reader_.skip_space(at + 1);
}

JsonParser::Place JsonParser::open(Place at, JsonKind kind, Next& next)
{
    if (depth_ == depth_max_) {
        return reader_.refuse(at, fmt::format("nested more than {} levels deep", depth_max_));
    }
    ++depth_;
    add_node(at) = {open_, 0, kind, false};
    step_into(static_cast<std::uint32_t>(tree_.nodes.size()) - 1);
    at = reader_.skip_space(at + 1);
    // An empty container closes here, so that no comma may stand before a closing bracket.
    next = reader_.peek(at) == closing_ ? Next::after_value : Next::value;
    return at;
}

JsonParser::Place JsonParser::read_after_value(Place at, Next& next)
{
    const char c = reader_.peek(at);
    if (c == ',') {
        next = Next::value;
        return reader_.skip_space(at + 1);
    }
    if (c == closing_) return close(at);
    if (reader_.is_end(at)) {
        return reader_.refuse(at, "the text ends before a container is closed");
    }
    return reader_.refuse(at, fmt::format("expected ',' or '{}'", closing_));
}

JsonParser::Place JsonParser::close(Place at)
{
    const std::uint32_t closed = open_;
    JsonNode& node = tree_.nodes[closed];
    step_into(node.begin);
    --depth_;
    node.begin = node.end;
    node.end = static_cast<std::uint32_t>(tree_.nodes.size());
    if (node.kind == JsonKind::object) {
        const std::optional<std::uint32_t> twin = names_.sort(closed);
        if (twin) return reader_.refuse_at(tree_.nodes[*twin].begin, "duplicate member name");
    }
    return reader_.skip_space(at + 1);
}

// Most texts go on as they began: as many nodes as the rest would have by that, so that the memory
// of a large one stays near what it needs. Half as much again at least, to stay linear where they
// do not.
void JsonParser::make_room(Place at)
{
    const std::size_t count = tree_.nodes.size();
    const auto read = static_cast<double>(at - tree_.text.data() + 1);
    const double expected =
        static_cast<double>(count) * (static_cast<double>(tree_.text.size()) / read) * 1.05;
    tree_.nodes.reserve(std::max(count + count / 2 + 16, static_cast<std::size_t>(expected)));
}

}  // namespace

Result<JsonNodes> parse_nodes(std::string_view text, std::size_t depth_max)
{
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
        return fail(Errc::limit_exceeded, "a JSON text of 4 GiB or more");
    }
    Result<JsonNodes> tree;
    tree->text = text;
    JsonParser parser{*tree, depth_max};
    if (!parser.parse()) return fail(Errc::invalid_argument, parser.refusal());
    return tree;
}

}  // namespace umavez
