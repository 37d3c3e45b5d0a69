#include "base/assert.hpp"

#include <umavez/transaction.hpp>

namespace umavez {

const Value& Row::value(std::size_t column) const
{
    UMAVEZ_ASSERT(column < columns_.size());
    return columns_[column];
}

bool Row::is_null(std::size_t column) const
{
    return std::holds_alternative<std::monostate>(value(column));
}

std::int64_t Row::integer(std::size_t column) const
{
    const auto* const integer = std::get_if<std::int64_t>(&value(column));
    UMAVEZ_ASSERT(integer != nullptr);
    return *integer;
}

double Row::real(std::size_t column) const
{
    const auto* const real = std::get_if<double>(&value(column));
    UMAVEZ_ASSERT(real != nullptr);
    return *real;
}

const std::string& Row::text(std::size_t column) const
{
    const auto* const text = std::get_if<std::string>(&value(column));
    UMAVEZ_ASSERT(text != nullptr);
    return *text;
}

const std::string& Row::blob(std::size_t column) const
{
    const auto* const blob = std::get_if<Blob>(&value(column));
    UMAVEZ_ASSERT(blob != nullptr);
    return blob->bytes;
}

}  // namespace umavez
