#pragma once

// Columns that may be null, and rows into values: what the tables of this module share.
// Confined to the thread of the transaction.

#include <umavez/transaction.hpp>

#include <optional>
#include <string>
#include <vector>

namespace umavez::propostas {

inline Value to_value(const std::optional<std::string>& text)
{
    return text ? Value{*text} : Value{};
}

inline std::optional<std::string> text_at(const Row& row, std::size_t column)
{
    return row.is_null(column) ? std::nullopt : std::optional{row.text(column)};
}

// Every row of an answer. `to_entity` makes a Result: a row that another program spoiled is an
// error, not a crash.
template <typename ToEntity>
auto all_rows(const Result<Rows>& rows, ToEntity to_entity)
    -> Result<std::vector<typename decltype(to_entity(rows->front()))::value_type>>
{
    if (!rows) return std::unexpected(rows.error());
    std::vector<typename decltype(to_entity(rows->front()))::value_type> entities;
    entities.reserve(rows->size());
    for (const Row& row : *rows) {
        auto entity = to_entity(row);
        if (!entity) return std::unexpected(entity.error());
        entities.push_back(*std::move(entity));
    }
    return entities;
}

// The row of an answer that has at most one.
template <typename ToEntity>
auto only_row(const Result<Rows>& rows, ToEntity to_entity)
    -> Result<std::optional<typename decltype(to_entity(rows->front()))::value_type>>
{
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    auto entity = to_entity(rows->front());
    if (!entity) return std::unexpected(entity.error());
    return *std::move(entity);
}

}  // namespace umavez::propostas
