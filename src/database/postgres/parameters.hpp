#pragma once

// Parameters: the values of one statement, in PostgreSQL's binary format, scalars and arrays.
//
// Text and bytes are borrowed and outlive the sending; numbers and arrays are kept here. Whether a
// text is text, a date or a name is left to the statement (type 0), as with a literal. Not
// thread-safe.

#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::pg {

using Oid = unsigned;

namespace type {
inline constexpr Oid unspecified = 0;
inline constexpr Oid boolean = 16;
inline constexpr Oid bytea = 17;
inline constexpr Oid int8 = 20;
inline constexpr Oid int2 = 21;
inline constexpr Oid int4 = 23;
inline constexpr Oid text = 25;
inline constexpr Oid oid = 26;
inline constexpr Oid float4 = 700;
inline constexpr Oid float8 = 701;
inline constexpr Oid numeric = 1700;
}  // namespace type

void append_big_endian(std::string& bytes, std::uint64_t value, int size);

class Parameters {
public:
    // `one_row`: arrays are of one element each, and are sent as that element.
    enum class Shape : std::uint8_t { rows, one_row };
    Parameters() = default;
    explicit Parameters(Shape shape) noexcept : shape_(shape) {}
    Shape shape() const noexcept { return shape_; }

    void add(std::int64_t value);
    void add(double value);
    void add_text(const std::string& value) { add_borrowed(value, type::unspecified); }
    void add_typed_text(std::string_view value) { add_borrowed(value, type::text); }
    void add_bytes(std::string_view value) { add_borrowed(value, type::bytea); }
    void add_null(Oid type = type::unspecified);
    void add(const std::optional<std::int64_t>& value);

    // A closure's values. invalid: a text with a NUL byte, which PostgreSQL cannot hold.
    bool add_all(const Values& values);

    // A one-dimensional array is opened, filled with element() or null(), and closed by whatever
    // follows it. One of nulls alone is sent empty: unnest() beside others and subscripts give nulls
    // for it all the same.
    void begin_array(Oid element_type, std::size_t count);
    void element(std::int64_t value);
    void element(std::string_view bytes);
    void element(const std::optional<std::int64_t>& value);
    void element_null();

    std::size_t size() const noexcept { return all_.size(); }
    std::string types() const;  // to tell apart statements with other types

    // As libpq takes them; valid until the next change.
    struct Pointers {
        std::vector<const char*> values;
        std::vector<int> lengths;
        std::vector<int> formats;
        std::vector<Oid> types;
    };
    const Pointers& pointers();

private:
    struct One {
        Oid type = type::unspecified;
        const char* borrowed = nullptr;
        std::size_t offset = 0;
        std::size_t length = 0;
        bool is_null = false;
    };
    void add_borrowed(std::string_view value, Oid type);
    void keep(Oid type, std::uint64_t value, int size);
    void begin_element(std::size_t bytes);
    void end_array();

    Shape shape_ = Shape::rows;
    std::vector<One> all_;
    std::string kept_;
    bool is_array_open_ = false;
    bool has_null_ = false;
    bool has_value_ = false;
    Pointers pointers_;
};

}  // namespace umavez::pg
