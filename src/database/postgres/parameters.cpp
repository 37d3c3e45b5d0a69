#include "database/postgres/parameters.hpp"

#include <bit>

namespace umavez::pg {
namespace {

constexpr std::size_t array_flags_at = 4;     // after the number of dimensions
constexpr std::size_t array_head_bytes = 12;  // dimensions, flags, type of the elements

}  // namespace

void append_big_endian(std::string& bytes, std::uint64_t value, int size)
{
    for (int i = size - 1; i >= 0; --i) {
        bytes += static_cast<char>((value >> (8 * i)) & 0xff);
    }
}

void Parameters::keep(Oid type, std::uint64_t value, int size)
{
    end_array();
    all_.push_back({.type = type, .offset = kept_.size(), .length = static_cast<std::size_t>(size)}
    );
    append_big_endian(kept_, value, size);
}

void Parameters::add(std::int64_t value)
{
    keep(type::int8, std::bit_cast<std::uint64_t>(value), 8);
}

void Parameters::add(double value)
{
    keep(type::float8, std::bit_cast<std::uint64_t>(value), 8);
}

void Parameters::add(const std::optional<std::int64_t>& value)
{
    if (value) return add(*value);
    add_null(type::int8);
}

void Parameters::add_borrowed(std::string_view value, Oid type)
{
    end_array();
    all_.push_back(
        {.type = type, .borrowed = value.empty() ? "" : value.data(), .length = value.size()}
    );
}

void Parameters::add_null(Oid type)
{
    end_array();
    all_.push_back({.type = type, .is_null = true});
}

bool Parameters::add_all(const Values& values)
{
    for (const Value& value : values) {
        if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
            add(*integer);
        } else if (const auto* const real = std::get_if<double>(&value)) {
            add(*real);
        } else if (const auto* const text = std::get_if<std::string>(&value)) {
            if (text->find('\0') != std::string::npos) return false;
            add_text(*text);
        } else if (const auto* const blob = std::get_if<Blob>(&value)) {
            add_bytes(blob->bytes);
        } else {
            add_null();
        }
    }
    return true;
}

void Parameters::begin_array(Oid element_type, std::size_t count)
{
    end_array();
    is_array_open_ = true;
    has_null_ = false;
    has_value_ = false;
    if (shape_ == Shape::one_row) {
        all_.push_back({.type = element_type, .offset = kept_.size()});
        return;
    }
    const Oid array_type = element_type == type::int8   ? 1016
                           : element_type == type::text ? 1009
                                                        : 1001;  // bytea
    all_.push_back({.type = array_type, .offset = kept_.size()});
    append_big_endian(kept_, count == 0 ? 0 : 1, 4);  // dimensions
    append_big_endian(kept_, 0, 4);                   // whether there are nulls: set at the end
    append_big_endian(kept_, element_type, 4);
    if (count > 0) {
        append_big_endian(kept_, count, 4);
        append_big_endian(kept_, 1, 4);  // the first subscript
    }
}

void Parameters::begin_element(std::size_t bytes)
{
    has_value_ = true;
    if (shape_ == Shape::rows) append_big_endian(kept_, bytes, 4);
}

void Parameters::element(std::int64_t value)
{
    begin_element(8);
    append_big_endian(kept_, std::bit_cast<std::uint64_t>(value), 8);
}

void Parameters::element(std::string_view bytes)
{
    begin_element(bytes.size());
    kept_ += bytes;
}

void Parameters::element(const std::optional<std::int64_t>& value)
{
    if (value) return element(*value);
    element_null();
}

void Parameters::element_null()
{
    has_null_ = true;
    if (shape_ == Shape::rows) append_big_endian(kept_, 0xffffffff, 4);
}

void Parameters::end_array()
{
    if (!is_array_open_) return;
    is_array_open_ = false;
    One& array = all_.back();
    if (shape_ == Shape::one_row) {
        array.is_null = !has_value_;
    } else if (!has_value_) {
        kept_.resize(array.offset + array_head_bytes);
        kept_[array.offset + 3] = 0;  // no dimension
    } else if (has_null_) {
        kept_[array.offset + array_flags_at + 3] = 1;
    }
    array.length = kept_.size() - array.offset;
}

std::string Parameters::types() const
{
    std::string types;
    for (const One& one : all_) {
        types += std::to_string(one.type);
        types += ' ';
    }
    return types;
}

const Parameters::Pointers& Parameters::pointers()
{
    end_array();
    pointers_.values.clear();
    pointers_.lengths.clear();
    pointers_.formats.clear();
    pointers_.types.clear();
    for (const One& one : all_) {
        const char* const value =
            one.borrowed != nullptr ? one.borrowed : kept_.data() + one.offset;
        pointers_.values.push_back(one.is_null ? nullptr : value);
        pointers_.lengths.push_back(static_cast<int>(one.length));
        // Of an unspecified type only the text is known to be right; libpq looks for its NUL.
        pointers_.formats.push_back(one.type == type::unspecified ? 0 : 1);
        pointers_.types.push_back(one.type);
    }
    return pointers_;
}

}  // namespace umavez::pg
