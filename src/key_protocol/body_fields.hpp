#pragma once

// BodyFields: the members of a JSON body, read by a module with their rules.
//
//     BodyFields fields{exchange.body, {"cliente_id", "valor"}};
//     NovaProposta nova{fields.integer("cliente_id"), fields.money("valor")};
//     if (auto problem = fields.problem(language)) return std::unexpected(*std::move(problem));
//
// Everything that is wrong is told at once: a reader that finds a mistake notes it and gives a
// value that nobody uses. A member that the operation does not take is a mistake too: silently
// ignored it would be a typing error that looks like success. Confined to its thread.

#include "base/money.hpp"
#include "http/problem.hpp"
#include "http/validation.hpp"
#include "json/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::key_protocol {

class BodyFields {
public:
    // No body is an empty object. The tree outlives this object.
    BodyFields(const JsonTree* body, std::initializer_list<std::string_view> known);

    bool has(std::string_view name) const { return find(name).has_value(); }
    bool is_null(std::string_view name) const;

    // A text that shows something, in one line, of at most `characters_max` characters.
    std::string text(std::string_view name, std::size_t characters_max);
    std::int64_t integer(std::string_view name, std::int64_t min = 1);
    Money money(std::string_view name);

    // Nullopt: absent or null.
    std::optional<std::string> find_text(std::string_view name, std::size_t characters_max);
    std::optional<std::int64_t> find_integer(std::string_view name, std::int64_t min = 1);

    // Notes a mistake that another rule found.
    void refuse(std::string field, http::Text message);

    // Nullopt: everything was right.
    std::optional<http::Problem> problem(http::Language language) const;

private:
    std::optional<JsonValue> find(std::string_view name) const;
    std::optional<JsonValue> get(std::string_view name);  // notes one that is missing
    bool has_error(std::string_view name) const;

    std::optional<JsonValue> object_;
    std::vector<http::FieldError> errors_;
};

}  // namespace umavez::key_protocol
