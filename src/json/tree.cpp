#include "json/tree.hpp"

#include "base/assert.hpp"
#include "json/name_order.hpp"
#include "json/reader.hpp"

#include <algorithm>

namespace umavez {

bool JsonValue::boolean() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::boolean);
    return text() == "true";
}

std::string_view JsonValue::number() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::number);
    return text();
}

std::string_view JsonValue::string() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::string);
    return tree_->string_at(node_);
}

JsonElements JsonValue::elements() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::array);
    return {tree_, node_};
}

JsonMembers JsonValue::members() const
{
    UMAVEZ_ASSERT(kind() == JsonKind::object);
    return {tree_, node_};
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const
{
    if (kind() != JsonKind::object) return std::nullopt;
    const JsonMembers all = members();
    const auto first = tree_->members_.begin() + all.list_ + 1;
    const auto last = first + all.size();
    const auto found = std::lower_bound(first, last, name, [this](auto node, auto wanted) {
        return is_name_before(tree_->string_at(node), wanted);
    });
    if (found == last || tree_->string_at(*found) != name) return std::nullopt;
    return JsonValue{tree_, *found + 1};
}

}  // namespace umavez
