// JsonTree::parse: from tokens to the flat array of nodes.
//
// No recursion: an open container remembers its parent in its own node, so depth costs no stack, and a
// hostile text costs no memory beyond its nodes. Names are sorted when their object closes, once for the
// check of uniqueness, for find() and for the canonical form.

#include "json/name_order.hpp"
#include "json/reader.hpp"
#include "json/tree.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>

namespace umavez {

class JsonParser {
public:
    JsonParser(JsonTree& tree, std::size_t depth_max)
        : tree_(tree), depth_max_(depth_max), reader_(tree.text_, tree.decoded_)
    {
        // Typical documents have a node for every six to eight bytes; more grow as usual.
        tree_.nodes_.reserve(std::min<std::size_t>(tree_.text_.size() / 6 + 4, nodes_reserved_max));
    }

    bool parse();
    const std::string& refusal() const noexcept { return reader_.refusal(); }

private:
    static constexpr std::size_t nodes_reserved_max = 16 * 1024;
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    struct Name {
        std::uint64_t prefix;
        std::uint32_t node;
    };

    // Whether the next thing is a value, or what follows a value.
    enum class Next : std::uint8_t { value, after_value };

    bool read_value(Next& next);
    bool read_after_value(Next& next);
    bool read_scalar(char first);
    bool read_name();
    bool read_end();
    bool open(JsonKind kind, Next& next);
    bool close();
    bool sort_names(std::uint32_t object);
    bool is_before(const Name& left, const Name& right) const noexcept;

    std::uint32_t node_count() const noexcept
    {
        return static_cast<std::uint32_t>(tree_.nodes_.size());
    }
    char closing_bracket() const noexcept
    {
        return tree_.nodes_[open_].kind == JsonKind::array ? ']' : '}';
    }

    JsonTree& tree_;
    std::size_t depth_max_;
    JsonReader reader_;
    std::size_t depth_ = 0;
    // The innermost open container. Until it closes, its node holds its parent (begin) and the number of
    // its children so far (end).
    std::uint32_t open_ = none;
    std::vector<Name> names_;
};

bool JsonParser::parse()
{
    if (tree_.text_.starts_with("\xef\xbb\xbf")) return reader_.refuse("byte order mark");
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
        if (tree_.nodes_[open_].kind == JsonKind::object && !read_name()) return false;
        ++tree_.nodes_[open_].end;
    }
    const char first = reader_.peek();
    if (first == '{') return open(JsonKind::object, next);
    if (first == '[') return open(JsonKind::array, next);
    next = Next::after_value;
    return read_scalar(first);
}

bool JsonParser::read_scalar(char first)
{
    JsonToken token;
    JsonKind kind = JsonKind::number;
    bool is_read = false;
    switch (first) {
        case '"':
            kind = JsonKind::string;
            is_read = reader_.read_string(token);
            break;
        case 't':
            kind = JsonKind::boolean;
            is_read = reader_.read_literal("true", token);
            break;
        case 'f':
            kind = JsonKind::boolean;
            is_read = reader_.read_literal("false", token);
            break;
        case 'n':
            kind = JsonKind::null;
            is_read = reader_.read_literal("null", token);
            break;
        case '-':
        case '0': case '1': case '2': case '3': case '4':
        case '5': case '6': case '7': case '8': case '9':
            is_read = reader_.read_number(token);
            break;
        default:
            return reader_.refuse(
                reader_.is_at_end() ? "the text ends where a value is expected" : "expected a value"
            );
    }
    tree_.nodes_.push_back({token.begin, token.end, kind, token.is_plain});
    return is_read;
}

bool JsonParser::read_name()
{
    if (reader_.peek() != '"') return reader_.refuse("expected a member name");
    JsonToken token;
    if (!reader_.read_string(token)) return false;
    tree_.nodes_.push_back({token.begin, token.end, JsonKind::string, token.is_plain});
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
    tree_.nodes_.push_back({open_, 0, kind, false});
    open_ = node_count() - 1;
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
    JsonTree::Node& node = tree_.nodes_[open_];
    const std::uint32_t closed = open_;
    open_ = node.begin;
    --depth_;
    node.begin = node.end;
    node.end = node_count();
    return node.kind == JsonKind::array || sort_names(closed);
}

bool JsonParser::sort_names(std::uint32_t object)
{
    names_.clear();
    const std::uint32_t end = tree_.nodes_[object].end;
    for (std::uint32_t name = object + 1; name != end; name = tree_.node_after(name + 1)) {
        names_.push_back({name_prefix(tree_.string_at(name)), name});
    }
    const auto before = [this](const Name& left, const Name& right) {
        return is_before(left, right);
    };
    std::ranges::sort(names_, before);
    const auto twins = std::ranges::adjacent_find(names_, std::not_fn(before));
    if (twins != names_.end()) {
        const std::uint32_t second = std::max(twins[0].node, twins[1].node);
        return reader_.refuse_at(tree_.nodes_[second].begin, "duplicate member name");
    }
    tree_.nodes_[object].begin = static_cast<std::uint32_t>(tree_.members_.size());
    tree_.members_.push_back(static_cast<std::uint32_t>(names_.size()));
    for (const Name& name : names_) tree_.members_.push_back(name.node);
    return true;
}

bool JsonParser::is_before(const Name& left, const Name& right) const noexcept
{
    if (left.prefix != right.prefix) return left.prefix < right.prefix;
    return is_name_before(tree_.string_at(left.node), tree_.string_at(right.node));
}

bool JsonParser::read_end()
{
    reader_.peek();
    return reader_.is_at_end() || reader_.refuse("text after the value");
}

Result<JsonTree> JsonTree::parse(std::string_view text, std::size_t depth_max)
{
    if (text.size() > std::numeric_limits<std::uint32_t>::max() - 1) {
        return fail(Errc::limit_exceeded, "a JSON text of 4 GiB or more");
    }
    JsonTree tree;
    tree.text_ = text;
    JsonParser parser{tree, depth_max};
    if (!parser.parse()) return fail(Errc::invalid_argument, parser.refusal());
    return tree;
}

}  // namespace umavez
