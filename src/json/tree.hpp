#pragma once

// JsonTree: a JSON text, read once, whose numbers keep their text and whose member names are unique.
//
// Fingerprints and exact money both read it, so nothing is rounded, merged or repaired on the way in. The
// tree is one flat array of nodes that point into the text; only strings with escapes are copied. Objects
// list their members in canonical order (names by UTF-16 code units), arrays in the order of the text.
//
// A tree borrows its text, a value borrows its tree. Immutable after construction.

#include <umavez/result.hpp>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "json/reader.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

class JsonTree;
class JsonElements;
class JsonMembers;

// One value of a tree; as cheap to copy as a pointer. Asking for what the kind does not have is a bug of
// ours and stops the program: look at kind() first.
class JsonValue {
public:
    JsonKind kind() const noexcept;
    bool is_container() const noexcept { return kind() >= JsonKind::array; }

    bool boolean() const;
    std::string_view number() const;  // as written: "1.50" stays "1.50"
    std::string_view string() const;  // unescaped, valid UTF-8
    JsonElements elements() const;
    JsonMembers members() const;

    // The member of this name; absent too when the value is no object.
    std::optional<JsonValue> find(std::string_view name) const;

    // Whether text() is its own canonical form; true of most numbers and strings.
    bool is_plain() const noexcept;
    // null, booleans, numbers and plain strings as written, strings with their quotes.
    std::string_view text() const;

private:
    friend class JsonElements;
    friend class JsonMembers;
    friend class JsonTree;
    JsonValue(const JsonTree* tree, std::uint32_t node) noexcept : tree_(tree), node_(node) {}

    const JsonTree* tree_;
    std::uint32_t node_;
};

class JsonTree {
public:
    // Accepts I-JSON (RFC 7493) whose values are nested at most `depth_max` deep. The error tells the
    // byte offset and the reason. `text` must outlive the tree.
    static Result<JsonTree> parse(
        std::string_view text, std::size_t depth_max = limits::json_depth_max
    );

    // Values are found through the tree's address: take the root again after moving a tree.
    JsonValue root() const noexcept { return {this, 0}; }

private:
    friend class JsonElements;
    friend class JsonMembers;
    friend class JsonParser;
    friend class JsonValue;

    struct Node {
        // Scalars: as in JsonToken. Arrays: the number of elements. Objects: their place in members_.
        std::uint32_t begin;
        // Scalars: as in JsonToken. Containers: the node after their last descendant.
        std::uint32_t end;
        JsonKind kind;
        bool is_plain;
    };

    std::uint32_t node_after(std::uint32_t node) const noexcept
    {
        return nodes_[node].kind < JsonKind::array ? node + 1 : nodes_[node].end;
    }
    std::string_view string_at(std::uint32_t node) const noexcept
    {
        const auto [begin, end, kind, is_plain] = nodes_[node];
        if (!is_plain) return decoded_string_at(decoded_, end);
        return {text_.data() + begin + 1, end - begin - 2};
    }

    std::string_view text_;
    std::vector<Node> nodes_;             // in the order of the text; a name stands before its value
    std::vector<std::uint32_t> members_;  // per object: the number of names, then the sorted names
    std::string decoded_;
};

// The elements of an array, for range-for.
class JsonElements {
public:
    class Iterator {
    public:
        Iterator(const JsonTree* tree, std::uint32_t node) noexcept : tree_(tree), node_(node) {}
        JsonValue operator*() const noexcept { return {tree_, node_}; }
        Iterator& operator++() noexcept
        {
            node_ = tree_->node_after(node_);
            return *this;
        }
        friend bool operator==(const Iterator&, const Iterator&) = default;

    private:
        const JsonTree* tree_;
        std::uint32_t node_;
    };

    JsonElements(const JsonTree* tree, std::uint32_t array) noexcept : tree_(tree), array_(array) {}
    std::size_t size() const noexcept { return tree_->nodes_[array_].begin; }
    Iterator begin() const noexcept { return {tree_, array_ + 1}; }
    Iterator end() const noexcept { return {tree_, tree_->nodes_[array_].end}; }

private:
    const JsonTree* tree_;
    std::uint32_t array_;
};

// A member's name is a string value of its own.
struct JsonMember {
    JsonValue name;
    JsonValue value;
};

// The members of an object in canonical order, for range-for.
class JsonMembers {
public:
    class Iterator {
    public:
        Iterator(const JsonTree* tree, std::uint32_t place) noexcept : tree_(tree), place_(place) {}
        JsonMember operator*() const noexcept
        {
            const std::uint32_t name = tree_->members_[place_];
            return {{tree_, name}, {tree_, name + 1}};
        }
        Iterator& operator++() noexcept
        {
            ++place_;
            return *this;
        }
        friend bool operator==(const Iterator&, const Iterator&) = default;

    private:
        const JsonTree* tree_;
        std::uint32_t place_;
    };

    JsonMembers(const JsonTree* tree, std::uint32_t object) noexcept
        : tree_(tree), list_(tree->nodes_[object].begin)
    {
    }
    std::uint32_t size() const noexcept { return tree_->members_[list_]; }
    Iterator begin() const noexcept { return {tree_, list_ + 1}; }
    Iterator end() const noexcept { return {tree_, list_ + 1 + size()}; }

private:
    friend class JsonValue;
    const JsonTree* tree_;
    std::uint32_t list_;
};

inline JsonKind JsonValue::kind() const noexcept
{
    return tree_->nodes_[node_].kind;
}

inline bool JsonValue::is_plain() const noexcept
{
    return tree_->nodes_[node_].is_plain;
}

inline std::string_view JsonValue::text() const
{
    const auto [begin, end, kind, is_plain] = tree_->nodes_[node_];
    UMAVEZ_ASSERT(kind < JsonKind::string || is_plain);
    return {tree_->text_.data() + begin, end - begin};
}

}  // namespace umavez
