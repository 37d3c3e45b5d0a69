#pragma once

// NameSorter: the sorted names of an object, which make them unique, findable and canonical at
// once. Confined to its thread.

#include "json/nodes.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace umavez {

class NameSorter {
public:
    // `tree` outlives the sorter.
    explicit NameSorter(JsonNodes& tree);

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
    bool is_before(const Name& left, const Name& right) const noexcept;

    JsonNodes& tree_;
    std::vector<Name> names_;  // of the object at hand; kept for its capacity
};

}  // namespace umavez
