#include "http/schema.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

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
    // Not every store holds a NUL.
    if (!is_utf8(text) || text.find('\0') != std::string_view::npos) return false;
    const auto characters = std::ranges::count_if(text, [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
    });
    return characters >= schema.min && characters <= schema.max;
}

// " from 1 to 100", " of at least 1", " of at most 100"; empty where there is no bound.
Text bounds(const Schema& schema, std::int64_t trivial_min)
{
    const bool has_min = schema.min > trivial_min;
    const bool has_max = schema.max < highest;
    if (has_min && has_max) {
        return {
            fmt::format(" from {} to {}", schema.min, schema.max),
            fmt::format(" de {} a {}", schema.min, schema.max)
        };
    }
    if (has_min) {
        return {
            fmt::format(" of at least {}", schema.min), fmt::format(" de no mínimo {}", schema.min)
        };
    }
    if (has_max) {
        return {
            fmt::format(" of at most {}", schema.max), fmt::format(" de no máximo {}", schema.max)
        };
    }
    return {};
}

Text text_words(const Schema& schema)
{
    const auto [english, portuguese] = bounds(schema, 0);
    if (english.empty()) return {"text", "um texto"};
    return {"text" + english + " characters", "um texto" + portuguese + " caracteres"};
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

Text to_words(const Schema& schema)
{
    switch (schema.type) {
        case Type::any: return {"a value", "um valor"};
        case Type::text: return text_words(schema);
        case Type::integer: {
            const auto [english, portuguese] = bounds(schema, lowest);
            return {"an integer" + english, "um inteiro" + portuguese};
        }
        case Type::money:
            return {
                "an amount with at most two decimals", "um valor com no máximo duas casas decimais"
            };
        case Type::boolean: return {"true or false", "true ou false"};
        case Type::date: return {"a date such as 2026-01-31", "uma data como 2026-01-31"};
        case Type::date_time:
            return {"a time such as 2026-01-31T12:00:00Z", "um horário como 2026-01-31T12:00:00Z"};
        case Type::one_of: {
            const std::string words = fmt::format("{}", fmt::join(schema.words, ", "));
            return {"one of " + words, "um de " + words};
        }
        case Type::object: return {"an object", "um objeto"};
        case Type::array: return {"an array", "uma lista"};
    }
    return {};
}

}  // namespace umavez::http
