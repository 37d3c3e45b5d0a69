#pragma once

// JsonNodes: the flat array behind a tree.
//
// One node of 12 bytes for each value and each member name, in the order of the text. Texts stay
// where they are; only strings with escapes are copied, decoded. tree.hpp is the way to read it,
// parser.cpp makes it. Immutable after construction.

#include "json/plain_array.hpp"

#include <umavez/result.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace umavez {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

struct JsonNode {
    // Scalars: where they begin in the text, strings with their quote. Arrays: the number of
    // elements. Objects: the place of their list among the members.
    std::uint32_t begin;
    // Scalars: where they end in the text; a string that is not plain: its place among the decoded
    // strings. Containers: the node after their last descendant.
    std::uint32_t end;
    JsonKind kind;
    bool is_plain;  // the text of this scalar is its canonical form
};

struct JsonNodes {
    std::string_view text;
    PlainArray<JsonNode> nodes;
    PlainArray<std::uint32_t> members;  // per object: the number of names, then their nodes, sorted
    std::string decoded;                // each string after its length in four bytes

    // The next sibling of a value, if it has one.
    std::uint32_t node_after(std::uint32_t node) const noexcept
    {
        return nodes[node].kind < JsonKind::array ? node + 1 : nodes[node].end;
    }

    // A scalar as written; not for a string that is not plain.
    std::string_view text_at(std::uint32_t node) const noexcept
    {
        return {text.data() + nodes[node].begin, nodes[node].end - nodes[node].begin};
    }

    std::string_view string_at(std::uint32_t node) const noexcept
    {
        const JsonNode& found = nodes[node];
        if (found.is_plain) {
            return {text.data() + found.begin + 1, found.end - found.begin - 2};
        }
        std::uint32_t size = 0;
        std::memcpy(&size, decoded.data() + found.end, sizeof size);
        return {decoded.data() + found.end + sizeof size, size};
    }
};

// Accepts I-JSON nested at most `depth_max` deep, see JsonTree::parse. The nodes borrow the text.
Result<JsonNodes> parse_nodes(std::string_view text, std::size_t depth_max);

}  // namespace umavez
