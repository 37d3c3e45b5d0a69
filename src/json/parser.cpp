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
        tree_.nodes.resize(nodes);
        tree_.members.reserve(nodes / 2);
    }

    bool parse();
    const std::string& refusal() const noexcept { return reader_.refusal(); }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    // Whether the next thing is a value, or what follows a value.
    enum class Next : std::uint8_t { value, after_value };

    bool read_value(Next& next);
    bool read_after_value(Next& next);
    bool read_scalar(char first);
    bool read_name();
    bool read_end();
    bool open(JsonKind kind, Next& next);
    bool close();

    // Nodes are written in place, ahead of the end: push_back would cost a fifth of the parse.
    JsonNode& add_node()
    {
        if (node_count_ == tree_.nodes.size()) tree_.nodes.resize(tree_.nodes.size() * 2);
        return tree_.nodes[node_count_++];
    }
    char closing_bracket() const noexcept
    {
        return tree_.nodes[open_].kind == JsonKind::array ? ']' : '}';
    }

    JsonNodes& tree_;
    std::size_t depth_max_;
    JsonReader reader_;
    std::size_t depth_ = 0;
    std::uint32_t node_count_ = 0;
    // The innermost open container. Until it closes, its node holds its parent (begin) and the
    // number of its children so far (end).
    std::uint32_t open_ = none;
    NameSorter names_;
};

bool JsonParser::parse()
{
    if (tree_.text.starts_with("\xef\xbb\xbf")) return reader_.refuse("byte order mark");
    Next next = Next::value;
    do {
        const bool is_read = next == Next::value ? read_value(next) : read_after_value(next);
        if (!is_read) return false;
    } while (next == Next::value || open_ != none);
    return read_end();
}

bool JsonParser::read_value(Next& next)
{
    if (open_ != none) {
        if (tree_.nodes[open_].kind == JsonKind::object && !read_name()) return false;
        ++tree_.nodes[open_].end;
    }
    const char first = reader_.peek();
    if (first == '{') return open(JsonKind::object, next);
    if (first == '[') return open(JsonKind::array, next);
    next = Next::after_value;
    return read_scalar(first);
}

bool JsonParser::read_scalar(char first)
{
    JsonNode& node = add_node();
    switch (first) {
        case '"': return reader_.read_string(node);
        case 't': return reader_.read_literal("true", JsonKind::boolean, node);
        case 'f': return reader_.read_literal("false", JsonKind::boolean, node);
        case 'n': return reader_.read_literal("null", JsonKind::null, node);
        default: return reader_.read_number(node);
    }
}

bool JsonParser::read_name()
{
    if (reader_.peek() != '"') return reader_.refuse("expected a member name");
    if (!reader_.read_string(add_node())) return false;
    if (reader_.peek() != ':') return reader_.refuse("expected ':' after a member name");
    reader_.skip();
    return true;
}

bool JsonParser::open(JsonKind kind, Next& next)
{
    if (depth_ == depth_max_) {
        return reader_.refuse(fmt::format("nested more than {} levels deep", depth_max_));
    }
    ++depth_;
    reader_.skip();
    add_node() = {open_, 0, kind, false};
    open_ = node_count_ - 1;
    // An empty container closes here, so that no comma may stand before a closing bracket.
    next = reader_.peek() == closing_bracket() ? Next::after_value : Next::value;
    return true;
}

bool JsonParser::read_after_value(Next& next)
{
    const char c = reader_.peek();
    if (c == closing_bracket()) {
        reader_.skip();
        return close();
    }
    if (c == ',') {
        reader_.skip();
        next = Next::value;
        return true;
    }
    if (reader_.is_at_end()) return reader_.refuse("the text ends before a container is closed");
    return reader_.refuse(fmt::format("expected ',' or '{}'", closing_bracket()));
}

bool JsonParser::close()
{
    JsonNode& node = tree_.nodes[open_];
    const std::uint32_t closed = open_;
    open_ = node.begin;
    --depth_;
    node.begin = node.end;
    node.end = node_count_;
    if (node.kind == JsonKind::array) return true;
    const std::optional<std::uint32_t> twin = names_.sort(closed);
    return !twin || reader_.refuse_at(tree_.nodes[*twin].begin, "duplicate member name");
}

bool JsonParser::read_end()
{
    reader_.peek();
    tree_.nodes.resize(node_count_);
    return reader_.is_at_end() || reader_.refuse("text after the value");
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
