#include "key_protocol/body_fields.hpp"

#include "base/shown.hpp"
#include "base/utf8.hpp"
#include "json/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace umavez::key_protocol {
namespace {

// Nobody corrects more at a time, and a hostile body has a hundred thousand members.
constexpr std::size_t errors_max = 50;

constexpr std::size_t digits_max = 18;  // of an integer that fits in 64 bits, whatever they are
constexpr std::int64_t integer_max = 999'999'999'999'999'999;

// By value: 2, 2.0 and 2e0 are the same number, for the fingerprint too.
std::optional<std::int64_t> to_integer(std::string_view number)
{
    const Decimal decimal = to_decimal(number);
    if (decimal.is_zero()) return 0;
    const auto digits = static_cast<std::int64_t>(decimal.digit_count());
    const std::int64_t zeros = decimal.exponent - (digits - 1);
    if (zeros < 0 || decimal.exponent >= static_cast<std::int64_t>(digits_max)) return std::nullopt;
    std::string text{decimal.whole};
    text += decimal.fraction;
    text.append(static_cast<std::size_t>(zeros), '0');
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return decimal.is_negative ? -value : value;
}

http::Text bad_text(std::size_t characters_max)
{
    return {
        fmt::format("must be a text of 1 to {} characters in one line", characters_max),
        fmt::format("deve ser um texto de 1 a {} caracteres em uma linha", characters_max),
    };
}

// What is wrong with a text; nullopt: nothing.
std::optional<http::Text> fault_of(std::string_view text, std::size_t characters_max)
{
    std::size_t characters = 0;
    bool shows = false;
    while (!text.empty()) {
        const char32_t character = take_character(text);
        if (is_control(character)) return bad_text(characters_max);
        shows = shows || !is_blank(character);
        ++characters;
    }
    if (characters > characters_max) {
        return http::Text{
            fmt::format("has {} characters, at most {} are allowed", characters, characters_max),
            fmt::format("tem {} caracteres; o máximo é {}", characters, characters_max),
        };
    }
    if (shows) return std::nullopt;
    if (characters == 0) return http::Text{"is empty", "está vazio"};
    return http::Text{"shows nothing: it is blank", "não mostra nada: está em branco"};
}

http::Text bad_integer(std::int64_t min)
{
    return {
        fmt::format("must be an integer from {} to {}", min, integer_max),
        fmt::format("deve ser um número inteiro de {} a {}", min, integer_max),
    };
}

http::Text bad_money(std::optional<MoneyFault> fault)
{
    if (fault == MoneyFault::too_many_decimals) {
        return {"has more than two decimals", "tem mais de duas casas decimais"};
    }
    if (fault == MoneyFault::out_of_range) {
        return {"must be from 0.00 to 99999999.99", "deve estar entre 0.00 e 99999999.99"};
    }
    return {
        "must be a number such as 1500.00, without quotes",
        "deve ser um número como 1500.00, sem aspas",
    };
}

std::string join(std::initializer_list<std::string_view> names)
{
    std::string list;
    for (const std::string_view name : names) {
        if (!list.empty()) list += ", ";
        list += name;
    }
    return list;
}

}  // namespace

BodyFields::BodyFields(const JsonTree* body, std::initializer_list<std::string_view> known)
{
    if (body == nullptr) return;
    if (body->root().kind() != JsonKind::object) {
        refuse("", {"the body must be a JSON object", "o corpo deve ser um objeto JSON"});
        return;
    }
    object_ = body->root();
    for (const JsonMember& member : object_->members()) {
        const std::string_view name = member.name().string();
        if (std::ranges::find(known, name) != known.end()) continue;
        refuse(
            shown(name),
            {fmt::format("is not known here; this operation takes {}", join(known)),
             fmt::format("não é conhecido aqui; esta operação aceita {}", join(known))}
        );
    }
}

bool BodyFields::is_null(std::string_view name) const
{
    const auto value = find(name);
    return value && value->kind() == JsonKind::null;
}

std::string BodyFields::text(std::string_view name, std::size_t characters_max)
{
    const auto value = get(name);
    if (!value) return {};
    const auto fault = value->kind() == JsonKind::string ? fault_of(value->string(), characters_max)
                                                         : bad_text(characters_max);
    if (fault) {
        refuse(std::string{name}, *fault);
        return {};
    }
    return std::string{value->string()};
}

std::int64_t BodyFields::integer(std::string_view name, std::int64_t min)
{
    const auto value = get(name);
    if (!value) return min;
    const auto number =
        value->kind() == JsonKind::number ? to_integer(value->number()) : std::nullopt;
    if (!number || *number < min) {
        refuse(std::string{name}, bad_integer(min));
        return min;
    }
    return *number;
}

Money BodyFields::money(std::string_view name)
{
    const auto value = get(name);
    if (value && value->kind() == JsonKind::number) {
        const auto amount = Money::parse(value->number());
        if (amount) return *amount;
        refuse(std::string{name}, bad_money(amount.error()));
    } else if (value) {
        refuse(std::string{name}, bad_money(std::nullopt));
    }
    return *Money::from_cents(0);
}

std::optional<std::string> BodyFields::find_text(std::string_view name, std::size_t characters_max)
{
    if (!has(name) || is_null(name)) return std::nullopt;
    return text(name, characters_max);
}

std::optional<std::int64_t> BodyFields::find_integer(std::string_view name, std::int64_t min)
{
    if (!has(name) || is_null(name)) return std::nullopt;
    return integer(name, min);
}

void BodyFields::refuse(std::string field, http::Text message)
{
    if (errors_.size() < errors_max && !has_error(field)) {
        errors_.push_back({std::move(field), std::move(message)});
    }
}

std::optional<http::Problem> BodyFields::problem(http::Language language) const
{
    if (errors_.empty()) return std::nullopt;
    return http::validation_problem(errors_, language);
}

std::optional<JsonValue> BodyFields::find(std::string_view name) const
{
    return object_ ? object_->find(name) : std::nullopt;
}

std::optional<JsonValue> BodyFields::get(std::string_view name)
{
    auto value = find(name);
    // What is no object has no members to miss.
    const bool is_told = !object_ && !errors_.empty();
    if (!value && !is_told) refuse(std::string{name}, {"is missing", "está faltando"});
    return value;
}

bool BodyFields::has_error(std::string_view name) const
{
    return std::ranges::any_of(errors_, [name](const http::FieldError& error) {
        return error.field == name;
    });
}

}  // namespace umavez::key_protocol
