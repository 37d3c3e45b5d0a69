#include "modules/cobranca/provider_events/content.hpp"

#include "webhook/fields.hpp"

namespace umavez::cobranca {
namespace {

// "/transaction/metadata/fatura_id" → "transaction[metadata][fatura_id]"
std::string to_field_name(std::string_view pointer)
{
    std::string name;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const std::string_view part = pointer.substr(0, pointer.find('/'));
        if (name.empty()) {
            name += part;
        } else {
            name += '[';
            name += part;
            name += ']';
        }
        pointer.remove_prefix(part.size());
    }
    return name;
}

}  // namespace

std::optional<std::string> Content::find(std::string_view pointer) const
{
    if (body_.is_json()) {
        const auto value = body_.find(pointer);
        if (value && value->kind() == JsonKind::boolean) return value->boolean() ? "true" : "false";
        auto text = value ? webhook::to_plain_text(*value) : std::nullopt;
        return text && !text->empty() ? text : std::nullopt;
    }
    auto field = webhook::find_field(text_, to_field_name(pointer));
    return field ? *std::move(field) : std::nullopt;
}

bool Content::has(std::string_view pointer) const
{
    if (!body_.is_json()) return find(pointer).has_value();
    const auto value = body_.find(pointer);
    return value && value->kind() != JsonKind::null;
}

}  // namespace umavez::cobranca
