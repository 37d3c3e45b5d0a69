#pragma once

// Schema: what a value looks like, declared once: parameters are checked by it, documents are made
// of it.
//
//     const Schema cliente = object({
//         {.name = "id", .type = integer({.min = 1}), .description = "assigned by the server"},
//         {.name = "nome", .type = text({.max = 255}), .example = R"("Maria")"},
//     }).named("Cliente");
//
// Plain values; copies share what is inside. Pure, thread-safe.

#include "http/language.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::http {

enum class Type : std::uint8_t {
    any,
    text,
    integer,
    money,  // a number with at most two decimals: 1500.00
    boolean,
    date,       // 2026-01-31
    date_time,  // RFC 3339, with its offset: 2026-01-31T12:00:00Z
    one_of,     // one of some words
    object,
    array,
};

struct Field;

struct Schema {
    Type type = Type::any;
    std::int64_t min =
        std::numeric_limits<std::int64_t>::min();  // of an integer; characters of a text
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    std::string format = {};              // of a text, for the document: "uuid", "email"
    std::string pattern = {};             // of a text, for the document
    std::vector<std::string> words = {};  // of one_of
    bool nullable = false;
    std::string name = {};  // not empty: documents refer to it by this name
    std::shared_ptr<const std::vector<Field>> fields = {};  // of an object
    std::shared_ptr<const Schema> item = {};                // of an array

    // The same schema under a name that is unique in the document.
    Schema named(std::string given) const;
    Schema or_null() const;
};

// A member of an object, or a parameter.
struct Field {
    std::string name;
    Schema type = {};
    std::string description = {};
    std::string example = {};  // JSON
    bool required = true;
};

struct TextLimits {
    std::int64_t max = std::numeric_limits<std::int64_t>::max();  // characters
    std::int64_t min = 0;
    std::string format = {};
    std::string pattern = {};
};
struct Range {
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

Schema any();
Schema text(TextLimits limits = {});
Schema integer(Range range = {});
Schema money();
Schema boolean();
Schema date();
Schema date_time();
Schema one_of(std::vector<std::string> words);
Schema object(std::vector<Field> fields);
Schema array_of(Schema item);

// Whether the text of a parameter is a value of a type that has no parts: "17" of integer.
// Objects and arrays accept none.
bool accepts(const Schema& schema, std::string_view parameter) noexcept;

// "an integer from 1 to 100": the object of "… is not …".
Text to_words(const Schema& schema);

// JSON Schema 2020-12. A schema with a name is a reference to #/components/schemas/<name>.
std::string to_json(const Schema& schema);
// The same with the description and the example of the field.
std::string to_json(const Field& field);
// The schema itself, whether it has a name or not: what stands under the name.
std::string to_definition(const Schema& schema);

}  // namespace umavez::http
