#include "json/name_sorter.hpp"

#include "json/name_order.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace umavez {
namespace {

// Up to here, looking at all pairs is faster than a sort.
constexpr std::size_t few = 16;

}  // namespace

std::optional<std::uint32_t> NameSorter::sort(std::uint32_t object)
{
    collect(object);
    tree_.nodes[object].begin = static_cast<std::uint32_t>(tree_.members.size());
    std::uint32_t* const list = tree_.members.add(1 + names_.size());
    list[0] = static_cast<std::uint32_t>(names_.size());
    if (place_few(list + 1)) return std::nullopt;

    const auto before = [this](const Name& left, const Name& right) {
        return is_before(left, right);
    };
    std::ranges::sort(names_, before);
    const auto twins = std::ranges::adjacent_find(names_, std::not_fn(before));
    if (twins != names_.end()) return std::max(twins[0].node, twins[1].node);
    std::ranges::transform(names_, list + 1, &Name::node);
    return std::nullopt;
}

// The place of a name is the number of names before it. No branch depends on the names: their order
// is the sender's, and the processor would often guess it wrongly.
bool NameSorter::place_few(std::uint32_t* list) const noexcept
{
    const std::size_t count = names_.size();
    if (count > few) return false;
    std::array<std::uint8_t, few> places{};
    bool has_equal = false;
    for (std::size_t i = 1; i < count; ++i) {
        const std::uint64_t prefix = names_[i].prefix;
        unsigned before = 0;
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_after = names_[j].prefix > prefix;
            has_equal |= names_[j].prefix == prefix;
            places[j] = static_cast<std::uint8_t>(places[j] + (is_after ? 1 : 0));
            before += is_after ? 0 : 1;
        }
        places[i] = static_cast<std::uint8_t>(before);
    }
    if (has_equal) return false;
    for (std::size_t i = 0; i < count; ++i) list[places[i]] = names_[i].node;
    return true;
}

// The node of the object holds the number of its names until the list is there.
void NameSorter::collect(std::uint32_t object)
{
    names_.clear();
    Name* next = names_.add(tree_.nodes[object].begin);
    const std::uint32_t end = tree_.nodes[object].end;
    for (std::uint32_t name = object + 1; name != end; name = tree_.node_after(name + 1)) {
        const std::string_view text = tree_.string_at(name);
        const JsonNode& node = tree_.nodes[name];
        const std::size_t behind = tree_.text.size() - node.begin - 1;
        *next++ = {name_prefix(text, node.is_plain ? behind : text.size()), name};
    }
}

bool NameSorter::is_before_by_text(const Name& left, const Name& right) const noexcept
{
    return is_name_before(tree_.string_at(left.node), tree_.string_at(right.node));
}

}  // namespace umavez
