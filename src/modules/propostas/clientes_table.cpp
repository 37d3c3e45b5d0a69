#include "modules/propostas/clientes_table.hpp"

#include "modules/propostas/columns.hpp"

#include <fmt/format.h>

namespace umavez::propostas {
namespace {

constexpr std::string_view select =
    "SELECT id, nome, email, documento, idempotencia_key, created_at, updated_at FROM clientes ";

Result<Cliente> to_cliente(const Row& row)
{
    return Cliente{
        .id = row.integer(0),
        .nome = row.text(1),
        .email = row.text(2),
        .documento = text_at(row, 3),
        .idempotencia_key = text_at(row, 4),
        .created_at = from_micros(row.integer(5)),
        .updated_at = from_micros(row.integer(6)),
    };
}

Result<std::optional<Cliente>> find_where(
    Transaction& transaction, std::string_view condition, const Values& parameters
)
{
    return only_row(
        transaction.query(fmt::format("{}{}", select, condition), parameters), to_cliente
    );
}

}  // namespace

Result<std::optional<Cliente>> insert_cliente(
    Transaction& transaction,
    const TenantId& tenant_id,
    const NovoCliente& novo,
    const std::optional<Key>& key
)
{
    Cliente cliente{
        .nome = novo.nome,
        .email = novo.email,
        .documento = novo.documento,
        .idempotencia_key = key ? std::optional{key->text()} : std::nullopt,
        .created_at = transaction.now(),
        .updated_at = transaction.now(),
    };
    const auto id = transaction.insert(
        "INSERT INTO clientes (tenant_id, nome, email, documento, idempotencia_key, created_at, "
        "updated_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT DO NOTHING",
        {tenant_id.text(),
         cliente.nome,
         cliente.email,
         to_value(cliente.documento),
         to_value(cliente.idempotencia_key),
         to_micros(cliente.created_at)}
    );
    if (!id) return std::unexpected(id.error());
    if (!*id) return std::nullopt;
    cliente.id = **id;
    return cliente;
}

Result<bool> update_cliente(Transaction& transaction, const Cliente& cliente)
{
    const auto updated = transaction.nested([&]() -> Result<void> {
        const auto changed = transaction.execute(
            "UPDATE clientes SET nome = $2, email = $3, documento = $4, updated_at = $5 WHERE id = "
            "$1",
            {cliente.id,
             cliente.nome,
             cliente.email,
             to_value(cliente.documento),
             to_micros(cliente.updated_at)}
        );
        if (!changed) return std::unexpected(changed.error());
        return {};
    });
    if (updated) return true;
    if (updated.error().code == Errc::unique_violation) return false;
    return std::unexpected(updated.error());
}

Result<std::optional<Cliente>> find_cliente(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return find_where(transaction, "WHERE id = $1 AND tenant_id = $2", {id, tenant_id.text()});
}

Result<std::optional<Cliente>> find_cliente_by_key(
    Transaction& transaction, const TenantId& tenant_id, const Key& key
)
{
    return find_where(
        transaction,
        "WHERE tenant_id = $1 AND idempotencia_key = $2",
        {tenant_id.text(), key.text()}
    );
}

Result<std::optional<Cliente>> find_cliente_of_record(Transaction& transaction, std::int64_t id)
{
    return find_where(transaction, "WHERE id = $1", {id});
}

Result<Listed<Cliente>> list_clientes(
    Transaction& transaction,
    const TenantId& tenant_id,
    const std::optional<std::string>& email,
    const Page& page
)
{
    Values parameters{tenant_id.text(), page.after, page.limit + 1};
    if (email) parameters.emplace_back(*email);
    auto rows = all_rows(
        transaction.query(
            fmt::format(
                "{}WHERE tenant_id = $1 AND id > $2{} ORDER BY id LIMIT $3",
                select,
                email ? " AND email = $4" : ""
            ),
            parameters
        ),
        to_cliente
    );
    if (!rows) return std::unexpected(rows.error());
    return to_listed(*std::move(rows), page);
}

}  // namespace umavez::propostas
