#include "json/tree.hpp"

#include "json/name_order.hpp"

#include <algorithm>
#include <span>

namespace umavez {

bool JsonValue::boolean() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::boolean);
    return nodes_->text_at(node_) == "true";
}

std::string_view JsonValue::number() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::number);
    return nodes_->text_at(node_);
}

std::string_view JsonValue::string() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::string);
    return nodes_->string_at(node_);
}

JsonElements JsonValue::elements() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::array);
    return {*nodes_, node_};
}

JsonMembers JsonValue::members() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::object);
    return {*nodes_, node_};
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const
{
    if (kind() != JsonKind::object) return std::nullopt;
    const std::uint32_t* const list = nodes_->members.data() + nodes_->nodes[node_].begin;
    const std::span names{list + 1, *list};
    const auto name_of = [this](std::uint32_t node) { return nodes_->string_at(node); };
    const auto found = std::ranges::lower_bound(names, name, is_name_before, name_of);
    if (found == names.end() || name_of(*found) != name) return std::nullopt;
    return JsonValue{*nodes_, *found + 1};
}

Result<JsonTree> JsonTree::parse(std::string_view text, std::size_t depth_max)
{
    auto nodes = parse_nodes(text, depth_max);
    if (!nodes) return std::unexpected(std::move(nodes).error());
    return JsonTree{*std::move(nodes)};
}

}  // namespace umavez
