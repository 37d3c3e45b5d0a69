#pragma once

// JsonTree: a JSON text, read once, whose numbers keep their text and whose member names are
// unique.
//
// Fingerprints and exact money both read it, so nothing is rounded, merged or repaired on the way
// in. Objects list their members in canonical order (names by UTF-16 code units), arrays in the
// order of the text. A tree borrows its text, a value borrows its tree. Immutable after
// construction.

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "json/nodes.hpp"

#include <umavez/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace umavez {

class JsonElements;
class JsonMembers;
class Output;

// One value of a tree; as cheap to copy as a pointer. Asking for what the kind does not have is a
// bug of ours and stops the program: look at kind() first.
class JsonValue {
public:
    JsonValue(const JsonNodes& nodes, std::uint32_t node) noexcept : nodes_(&nodes), node_(node) {}

    JsonKind kind() const noexcept { return nodes_->nodes[node_].kind; }

    bool boolean() const;
    std::string_view number() const;  // as written: "1.50" stays "1.50"
    std::string_view string() const;  // unescaped, valid UTF-8
    JsonElements elements() const;
    JsonMembers members() const;

    // The member of this name; absent too when the value is no object.
    std::optional<JsonValue> find(std::string_view name) const;

    friend void print_canonical(JsonValue value, Output& output);  // canonical.hpp

private:
    const JsonNodes* nodes_;
    std::uint32_t node_;
};

class JsonTree {
public:
    // Accepts I-JSON (RFC 7493) whose containers are nested at most `depth_max` deep. The error
    // tells the byte offset and the reason. `text` must outlive the tree.
    static Result<JsonTree> parse(
        std::string_view text, std::size_t depth_max = limits::json_depth_max
    );

    // Values refer to this object: ask for the root again after moving a tree.
    JsonValue root() const noexcept { return {nodes_, 0}; }
    const JsonNodes& nodes() const noexcept { return nodes_; }

private:
    explicit JsonTree(JsonNodes nodes) noexcept : nodes_(std::move(nodes)) {}

    JsonNodes nodes_;
};

// The elements of an array, for range-for.
class JsonElements {
public:
    class Iterator {
    public:
        Iterator(const JsonNodes& nodes, std::uint32_t node) noexcept : nodes_(&nodes), node_(node)
        {
        }
        JsonValue operator*() const noexcept { return {*nodes_, node_}; }
        Iterator& operator++() noexcept
        {
            node_ = nodes_->node_after(node_);
            return *this;
        }
        friend bool operator==(const Iterator&, const Iterator&) = default;

    private:
        const JsonNodes* nodes_;
        std::uint32_t node_;
    };

    JsonElements(const JsonNodes& nodes, std::uint32_t array) noexcept
        : size_(nodes.nodes[array].begin),
          begin_(nodes, array + 1),
          end_(nodes, nodes.nodes[array].end)
    {
    }
    std::size_t size() const noexcept { return size_; }
    Iterator begin() const noexcept { return begin_; }
    Iterator end() const noexcept { return end_; }

private:
    std::size_t size_;
    Iterator begin_;
    Iterator end_;
};

class JsonMember {
public:
    JsonMember(const JsonNodes& nodes, std::uint32_t name) noexcept : nodes_(&nodes), name_(name) {}

    JsonValue name() const noexcept { return {*nodes_, name_}; }  // a string like any other
    JsonValue value() const noexcept { return {*nodes_, name_ + 1}; }

private:
    const JsonNodes* nodes_;
    std::uint32_t name_;
};

// The members of an object in canonical order, for range-for.
class JsonMembers {
public:
    class Iterator {
    public:
        Iterator(const JsonNodes& nodes, const std::uint32_t* name) noexcept
            : nodes_(&nodes), name_(name)
        {
        }
        JsonMember operator*() const noexcept { return {*nodes_, *name_}; }
        Iterator& operator++() noexcept
        {
            ++name_;
            return *this;
        }
        friend bool operator==(const Iterator&, const Iterator&) = default;

    private:
        const JsonNodes* nodes_;
        const std::uint32_t* name_;
    };

    JsonMembers(const JsonNodes& nodes, std::uint32_t object) noexcept
        : nodes_(&nodes), list_(nodes.members.data() + nodes.nodes[object].begin)
    {
    }
    std::size_t size() const noexcept { return *list_; }
    Iterator begin() const noexcept { return {*nodes_, list_ + 1}; }
    Iterator end() const noexcept { return {*nodes_, list_ + 1 + size()}; }

private:
    const JsonNodes* nodes_;
    const std::uint32_t* list_;
};

}  // namespace umavez
