#include "http/schema.hpp"

#include "base/json_text.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>

namespace umavez::http {
namespace {

constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr auto highest = std::numeric_limits<std::int64_t>::max();

Schema of(Type type)
{
    return {.type = type};
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept
{
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc{} || rest != end) return std::nullopt;
    return value;
}

bool are_digits(std::string_view text) noexcept
{
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_money(std::string_view text) noexcept
{
    if (text.starts_with('-')) text.remove_prefix(1);
    const std::size_t point = text.find('.');
    if (!are_digits(text.substr(0, point))) return false;
    if (point == std::string_view::npos) return true;
    const std::string_view decimals = text.substr(point + 1);
    return are_digits(decimals) && decimals.size() <= 2;
}

// Whether `text` has digits where `shape` has '0', and its other characters where they are.
bool has_shape(std::string_view text, std::string_view shape) noexcept
{
    return std::ranges::equal(text, shape, [](char given, char expected) {
        return expected == '0' ? given >= '0' && given <= '9' : given == expected;
    });
}

bool is_date(std::string_view text) noexcept
{
    if (!has_shape(text, "0000-00-00")) return false;
    const auto number = [text](std::size_t at, std::size_t count) {
        return static_cast<int>(*parse_integer(text.substr(at, count)));
    };
    const std::chrono::year_month_day date{
        std::chrono::year{number(0, 4)},
        std::chrono::month{static_cast<unsigned>(number(5, 2))},
        std::chrono::day{static_cast<unsigned>(number(8, 2))}
    };
    return date.ok();
}

bool is_time(std::string_view text) noexcept
{
    return has_shape(text.substr(0, 5), "00:00") && text.substr(0, 2) < "24" &&
           text.substr(3, 2) < "60";
}

bool is_date_time(std::string_view text) noexcept
{
    if (text.size() < 20 || !is_date(text.substr(0, 10)) || (text[10] != 'T' && text[10] != 't')) {
        return false;
    }
    if (!is_time(text.substr(11)) || !has_shape(text.substr(16, 3), ":00") ||
        text.substr(17, 2) > "60") {
        return false;
    }
    text.remove_prefix(19);
    if (text.starts_with('.')) {
        const std::size_t end = text.find_first_not_of("0123456789", 1);
        if (end == std::string_view::npos || end == 1) return false;
        text.remove_prefix(end);
    }
    if (text == "Z" || text == "z") return true;
    return text.size() == 6 && (text[0] == '+' || text[0] == '-') && is_time(text.substr(1));
}

bool is_text(const Schema& schema, std::string_view text) noexcept
{
    if (!is_utf8(text)) return false;
    const auto characters = std::ranges::count_if(text, [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
    });
    return characters >= schema.min && characters <= schema.max;
}

// "from 1 to 100", "of at least 1", "of at most 100"; empty where there is no bound.
std::string bounds(const Schema& schema, std::int64_t trivial_min)
{
    const bool has_min = schema.min > trivial_min;
    const bool has_max = schema.max < highest;
    if (has_min && has_max) return fmt::format(" from {} to {}", schema.min, schema.max);
    if (has_min) return fmt::format(" of at least {}", schema.min);
    if (has_max) return fmt::format(" of at most {}", schema.max);
    return {};
}

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

// Members of a JSON object, in the order in which they are added.
class Members {
public:
    void add(std::string_view name, std::string_view json)
    {
        out_ += out_.empty() ? "" : ",";
        append_json_text(out_, name);
        out_ += ":";
        out_ += json;
    }
    void add_text(std::string_view name, std::string_view text)
    {
        if (!text.empty()) add(name, to_json_text(text));
    }
    std::string finish() && { return "{" + std::move(out_) + "}"; }

private:
    std::string out_;
};

std::string to_json_array(const std::vector<std::string>& texts)
{
    std::string out;
    for (const std::string& text : texts) {
        out += out.empty() ? "" : ",";
        append_json_text(out, text);
    }
    return "[" + out + "]";
}

void add_bounds(Members& members, const Schema& schema)
{
    const bool is_integer = schema.type == Type::integer;
    if (schema.min > (is_integer ? lowest : 0)) {
        members.add(is_integer ? "minimum" : "minLength", std::to_string(schema.min));
    }
    if (schema.max < highest) {
        members.add(is_integer ? "maximum" : "maxLength", std::to_string(schema.max));
    }
}

void add_fields(Members& members, const std::vector<Field>& fields)
{
    Members properties;
    std::vector<std::string> required;
    for (const Field& field : fields) {
        properties.add(field.name, to_json(field));
        if (field.required) required.push_back(field.name);
    }
    members.add("properties", std::move(properties).finish());
    if (!required.empty()) members.add("required", to_json_array(required));
}

Members definition_of(const Schema& schema)
{
    Members members;
    const std::string_view type = json_type(schema.type);
    if (!type.empty()) {
        members.add(
            "type",
            schema.nullable ? fmt::format(R"(["{}","null"])", type) : fmt::format("\"{}\"", type)
        );
    }
    switch (schema.type) {
        case Type::any:
        case Type::boolean: break;
        case Type::text:
            members.add_text("format", schema.format);
            members.add_text("pattern", schema.pattern);
            add_bounds(members, schema);
            break;
        case Type::integer: add_bounds(members, schema); break;
        case Type::money: members.add("multipleOf", "0.01"); break;
        case Type::date: members.add_text("format", "date"); break;
        case Type::date_time: members.add_text("format", "date-time"); break;
        case Type::one_of: {
            std::string words = to_json_array(schema.words);
            if (schema.nullable) words.replace(words.size() - 1, 1, ",null]");
            members.add("enum", words);
            break;
        }
        case Type::object: add_fields(members, *schema.fields); break;
        case Type::array: members.add("items", to_json(*schema.item)); break;
    }
    return members;
}

}  // namespace

Schema Schema::named(std::string given) const
{
    Schema copy = *this;
    copy.name = std::move(given);
    return copy;
}

Schema Schema::or_null() const
{
    Schema copy = *this;
    copy.nullable = true;
    return copy;
}

Schema any()
{
    return of(Type::any);
}

Schema text(TextLimits limits)
{
    Schema schema = of(Type::text);
    schema.min = limits.min;
    schema.max = limits.max;
    schema.format = std::move(limits.format);
    schema.pattern = std::move(limits.pattern);
    return schema;
}

Schema integer(Range range)
{
    Schema schema = of(Type::integer);
    schema.min = range.min;
    schema.max = range.max;
    return schema;
}

Schema money()
{
    return of(Type::money);
}

Schema boolean()
{
    return of(Type::boolean);
}

Schema date()
{
    return of(Type::date);
}

Schema date_time()
{
    return of(Type::date_time);
}

Schema one_of(std::vector<std::string> words)
{
    Schema schema = of(Type::one_of);
    schema.words = std::move(words);
    return schema;
}

Schema object(std::vector<Field> fields)
{
    Schema schema = of(Type::object);
    schema.fields = std::make_shared<const std::vector<Field>>(std::move(fields));
    return schema;
}

Schema array_of(Schema item)
{
    Schema schema = of(Type::array);
    schema.item = std::make_shared<const Schema>(std::move(item));
    return schema;
}

bool accepts(const Schema& schema, std::string_view parameter) noexcept
{
    switch (schema.type) {
        case Type::any: return true;
        case Type::text: return is_text(schema, parameter);
        case Type::integer: {
            const auto value = parse_integer(parameter);
            return value && *value >= schema.min && *value <= schema.max;
        }
        case Type::money: return is_money(parameter);
        case Type::boolean: return parameter == "true" || parameter == "false";
        case Type::date: return is_date(parameter);
        case Type::date_time: return is_date_time(parameter);
        case Type::one_of: return std::ranges::find(schema.words, parameter) != schema.words.end();
        case Type::object:
        case Type::array: return false;
    }
    return false;
}

std::string to_words(const Schema& schema)
{
    switch (schema.type) {
        case Type::any: return "a value";
        case Type::text: {
            const std::string characters = bounds(schema, 0);
            return "text" + (characters.empty() ? "" : characters + " characters");
        }
        case Type::integer: return "an integer" + bounds(schema, lowest);
        case Type::money: return "an amount with at most two decimals";
        case Type::boolean: return "true or false";
        case Type::date: return "a date such as 2026-01-31";
        case Type::date_time: return "a time such as 2026-01-31T12:00:00Z";
        case Type::one_of: return fmt::format("one of {}", fmt::join(schema.words, ", "));
        case Type::object: return "an object";
        case Type::array: return "an array";
    }
    return {};
}

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
    Members more;
    more.add_text("description", field.description);
    if (!field.example.empty()) more.add("examples", "[" + field.example + "]");
    std::string added = std::move(more).finish();
    if (added == "{}") return json;
    json.pop_back();
    return json + (json == "{" ? "" : ",") + added.substr(1);
}

std::string to_definition(const Schema& schema)
{
    return definition_of(schema).finish();
}

}  // namespace umavez::http
