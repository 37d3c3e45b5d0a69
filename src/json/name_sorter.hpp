#pragma once

// NameSorter: the sorted names of an object, which make them unique, findable and canonical at
// once. Confined to its thread.

#include "json/nodes.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace umavez {

class NameSorter {
public:
    // `tree` outlives the sorter.
    explicit NameSorter(JsonNodes& tree) : tree_(tree) {}

    // Appends the list of this object, all of whose nodes are there, to the members of the tree.
    // Returns the later of two equal names if there are such.
    std::optional<std::uint32_t> sort(std::uint32_t object);

private:
    // The first eight bytes decide most comparisons without a look at the text.
    struct Name {
        std::uint64_t prefix;
        std::uint32_t node;
    };

    void collect(std::uint32_t object);
    // Puts few names in their places; false, and nothing is done, where a prefix does not tell two
    // apart.
    bool place_few(std::uint32_t* list) const noexcept;
    bool is_before(const Name& left, const Name& right) const noexcept
    {
        return left.prefix != right.prefix ? left.prefix < right.prefix
                                           : is_before_by_text(left, right);
    }
    bool is_before_by_text(const Name& left, const Name& right) const noexcept;

    JsonNodes& tree_;
    PlainArray<Name> names_{16};  // of the object at hand; kept for its capacity
};

}  // namespace umavez
