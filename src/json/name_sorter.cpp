#include "json/name_sorter.hpp"

#include "json/name_order.hpp"

#include <algorithm>
#include <functional>

namespace umavez {
namespace {

// Most objects have few names, often in order already: there insertion takes half the time of
// std::sort.
template <typename Name, typename Before>
void sort_few_or_many(std::vector<Name>& names, Before before)
{
    constexpr std::size_t few = 24;
    if (names.size() > few) {
        std::ranges::sort(names, before);
        return;
    }
    for (std::size_t i = 1; i < names.size(); ++i) {
        const Name name = names[i];
        std::size_t place = i;
        for (; place > 0 && before(name, names[place - 1]); --place) {
            names[place] = names[place - 1];
        }
        names[place] = name;
    }
}

}  // namespace

NameSorter::NameSorter(JsonNodes& tree) : tree_(tree)
{
    names_.reserve(16);
}

std::optional<std::uint32_t> NameSorter::sort(std::uint32_t object)
{
    collect(object);
    const auto before = [this](const Name& left, const Name& right) {
        return is_before(left, right);
    };
    sort_few_or_many(names_, before);
    const auto twins = std::ranges::adjacent_find(names_, std::not_fn(before));
    if (twins != names_.end()) return std::max(twins[0].node, twins[1].node);

    const std::size_t list = tree_.members.size();
    tree_.nodes[object].begin = static_cast<std::uint32_t>(list);
    tree_.members.resize(list + 1 + names_.size());
    tree_.members[list] = static_cast<std::uint32_t>(names_.size());
    std::ranges::transform(names_, tree_.members.data() + list + 1, &Name::node);
    return std::nullopt;
}

void NameSorter::collect(std::uint32_t object)
{
    names_.clear();
    const std::uint32_t end = tree_.nodes[object].end;
    for (std::uint32_t name = object + 1; name != end; name = tree_.node_after(name + 1)) {
        const std::string_view text = tree_.string_at(name);
        const JsonNode& node = tree_.nodes[name];
        const std::size_t behind = tree_.text.size() - node.begin - 1;
        names_.push_back({name_prefix(text, node.is_plain ? behind : text.size()), name});
    }
}

bool NameSorter::is_before(const Name& left, const Name& right) const noexcept
{
    if (left.prefix != right.prefix) return left.prefix < right.prefix;
    return is_name_before(tree_.string_at(left.node), tree_.string_at(right.node));
}

}  // namespace umavez
