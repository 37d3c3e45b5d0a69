// Schemas as JSON Schema 2020-12.

#include "base/json_object.hpp"
#include "http/schema.hpp"

#include <fmt/format.h>

namespace umavez::http {
namespace {

std::string_view json_type(Type type) noexcept
{
    switch (type) {
        case Type::any: return "";
        case Type::text:
        case Type::date:
        case Type::date_time:
        case Type::one_of: return "string";
        case Type::integer: return "integer";
        case Type::money: return "number";
        case Type::boolean: return "boolean";
        case Type::object: return "object";
        case Type::array: return "array";
    }
    return "";
}

void add_bounds(JsonObject& members, const Schema& schema)
{
    const bool is_integer = schema.type == Type::integer;
    if (schema.min > (is_integer ? std::numeric_limits<std::int64_t>::min() : 0)) {
        members.raw(is_integer ? "minimum" : "minLength", std::to_string(schema.min));
    }
    if (schema.max < std::numeric_limits<std::int64_t>::max()) {
        members.raw(is_integer ? "maximum" : "maxLength", std::to_string(schema.max));
    }
}

void add_fields(JsonObject& members, const std::vector<Field>& fields)
{
    JsonObject properties;
    std::vector<std::string> required;
    for (const Field& field : fields) {
        properties.raw(field.name, to_json(field));
        if (field.required) required.push_back(to_json_text(field.name));
    }
    members.raw("properties", properties.str());
    if (!required.empty()) members.raw("required", to_json_array(required));
}

JsonObject definition_of(const Schema& schema)
{
    JsonObject members;
    const std::string_view type = json_type(schema.type);
    if (!type.empty()) {
        members.raw(
            "type",
            schema.nullable ? fmt::format(R"(["{}","null"])", type) : fmt::format("\"{}\"", type)
        );
    }
    switch (schema.type) {
        case Type::any:
        case Type::boolean: break;
        case Type::text:
            members.text_unless_empty("format", schema.format);
            members.text_unless_empty("pattern", schema.pattern);
            add_bounds(members, schema);
            break;
        case Type::integer: add_bounds(members, schema); break;
        case Type::money: members.raw("multipleOf", "0.01"); break;
        case Type::date: members.text_unless_empty("format", "date"); break;
        case Type::date_time: members.text_unless_empty("format", "date-time"); break;
        case Type::one_of: {
            std::vector<std::string> words;
            for (const std::string& word : schema.words) words.push_back(to_json_text(word));
            if (schema.nullable) words.emplace_back("null");
            members.raw("enum", to_json_array(words));
            break;
        }
        case Type::object: add_fields(members, *schema.fields); break;
        case Type::array: members.raw("items", to_json(*schema.item)); break;
    }
    return members;
}

}  // namespace

std::string to_json(const Schema& schema)
{
    if (schema.name.empty()) return to_definition(schema);
    std::string reference = fmt::format(R"({{"$ref":"#/components/schemas/{}"}})", schema.name);
    if (!schema.nullable) return reference;
    return fmt::format(R"({{"anyOf":[{},{{"type":"null"}}]}})", reference);
}

std::string to_json(const Field& field)
{
    std::string json = to_json(field.type);
    JsonObject more;
    more.text_unless_empty("description", field.description);
    if (!field.example.empty()) more.raw("examples", "[" + field.example + "]");
    if (more.is_empty()) return json;
    json.pop_back();
    return json + (json == "{" ? "" : ",") + more.str().substr(1);
}

std::string to_definition(const Schema& schema)
{
    return definition_of(schema).str();
}

}  // namespace umavez::http
