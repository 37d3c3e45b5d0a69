#pragma once

// Columns that may be null, and rows into values: what the tables of modules share.
// Confined to the thread of the transaction.

#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// What a SELECT ends with to hold its row until the transaction ends, so that nobody changes it in
// between. SQLite has one writer, who needs no such word.
inline std::string_view row_lock(Dialect dialect) noexcept
{
    return dialect == Dialect::postgres ? " FOR UPDATE" : "";
}

// Conditions of a list, " AND email = $4 AND …": $1 to $3 are those of its page.
class Conditions {
public:
    // `column` is SQL of the caller's own.
    void add(std::string_view column, Value value)
    {
        values_.push_back(std::move(value));
        sql_ += " AND ";
        sql_ += column;
        sql_ += " = $" + std::to_string(3 + values_.size());
    }
    const std::string& sql() const noexcept { return sql_; }
    const Values& values() const noexcept { return values_; }

private:
    std::string sql_;
    Values values_;
};

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
    // The same, held until the transaction ends. For whoever is going to change it.
    Result<std::optional<Entity>> find_locked(
        Transaction& transaction, const TenantId& tenant_id, std::int64_t id
    ) const
    {
        std::string condition = "WHERE id = $1 AND tenant_id = $2";
        condition += row_lock(transaction.dialect());
        return only(transaction, condition, {id, tenant_id.text()});
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

    Result<Listed<Entity>> list(
        Transaction& transaction,
        const TenantId& tenant_id,
        const Page& page,
        const Conditions& conditions
    ) const
    {
        Values parameters{tenant_id.text(), page.after, page.limit + 1};
        const Values& more = conditions.values();
        parameters.insert(parameters.end(), more.begin(), more.end());
        std::string sql{select};
        sql += "WHERE tenant_id = $1 AND id > $2";
        sql += conditions.sql();
        sql += " ORDER BY id LIMIT $3";
        auto rows = all_rows(transaction.query(sql, parameters), to_entity);
        if (!rows) return std::unexpected(rows.error());
        return to_listed(*std::move(rows), page);
    }

    // At most one row, by a condition of the table's own.
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
