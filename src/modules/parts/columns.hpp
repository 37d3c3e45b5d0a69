#pragma once

// Columns that may be null, and rows into values: what the tables of modules share.
// Confined to the thread of the transaction.

#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::modules {

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

// Entities as their tables give them: by id or by key inside a tenant, and page by page.
template <typename Entity>
struct EntityRows {
    std::string_view select;  // "SELECT … FROM … ", with a space at its end
    Result<Entity> (*to_entity)(const Row& row);

    Result<std::optional<Entity>> find(
        Transaction& transaction, const TenantId& tenant_id, std::int64_t id
    ) const
    {
        return only(transaction, "WHERE id = $1 AND tenant_id = $2", {id, tenant_id.text()});
    }
    Result<std::optional<Entity>> find_by_key(
        Transaction& transaction, const TenantId& tenant_id, const Key& key
    ) const
    {
        return only(
            transaction,
            "WHERE tenant_id = $1 AND idempotencia_key = $2",
            {tenant_id.text(), key.text()}
        );
    }
    // Of whatever tenant.
    Result<std::optional<Entity>> find_by_id(Transaction& transaction, std::int64_t id) const
    {
        return only(transaction, "WHERE id = $1", {id});
    }

    // `more` conditions, " AND email = $4", whose parameters begin at $4.
    Result<Listed<Entity>> list(
        Transaction& transaction,
        const TenantId& tenant_id,
        const Page& page,
        std::string_view more,
        const Values& values
    ) const
    {
        Values parameters{tenant_id.text(), page.after, page.limit + 1};
        parameters.insert(parameters.end(), values.begin(), values.end());
        std::string sql{select};
        sql += "WHERE tenant_id = $1 AND id > $2";
        sql += more;
        sql += " ORDER BY id LIMIT $3";
        auto rows = all_rows(transaction.query(sql, parameters), to_entity);
        if (!rows) return std::unexpected(rows.error());
        return to_listed(*std::move(rows), page);
    }

private:
    Result<std::optional<Entity>> only(
        Transaction& transaction, std::string_view condition, const Values& parameters
    ) const
    {
        std::string sql{select};
        sql += condition;
        return only_row(transaction.query(sql, parameters), to_entity);
    }
};

}  // namespace umavez::modules
