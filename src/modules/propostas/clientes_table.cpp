#include "modules/propostas/clientes_table.hpp"

#include "modules/parts/columns.hpp"

namespace umavez::propostas {
namespace {

using modules::Conditions;
using modules::EntityRows;
using modules::Listed;
using modules::Page;
using modules::text_at;
using modules::to_value;

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

constexpr EntityRows<Cliente> rows_of{select, to_cliente};

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
    return rows_of.find(transaction, tenant_id, id);
}

Result<std::optional<Cliente>> find_cliente_by_key(
    Transaction& transaction, const TenantId& tenant_id, const Key& key
)
{
    return rows_of.find_by_key(transaction, tenant_id, key);
}

Result<std::optional<Cliente>> find_cliente_of_record(Transaction& transaction, std::int64_t id)
{
    return rows_of.find_by_id(transaction, id);
}

Result<Listed<Cliente>> list_clientes(
    Transaction& transaction,
    const TenantId& tenant_id,
    const std::optional<std::string>& email,
    const Page& page
)
{
    Conditions conditions;
    if (email) conditions.add("email", *email);
    return rows_of.list(transaction, tenant_id, page, conditions);
}

}  // namespace umavez::propostas
