#include "modules/propostas/operacoes_table.hpp"

#include <utility>

namespace umavez::propostas {

Result<std::optional<std::int64_t>> find_operacao(
    Transaction& transaction, const Operacao& operacao
)
{
    const auto rows = transaction.query(
        "SELECT entidade_id FROM idempotencia_operacoes "
        "WHERE tenant_id = $1 AND idempotencia_key = $2 AND tipo_operacao = $3 "
        "AND (expires_at IS NULL OR expires_at > $4)",
        {operacao.tenant_id.text(),
         operacao.key.text(),
         std::string{operacao.tipo},
         to_micros(transaction.now())}
    );
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    return rows->front().integer(0);
}

Result<void> write_operacao(
    Transaction& transaction,
    const Operacao& operacao,
    std::int64_t entidade_id,
    std::string resultado,
    std::optional<Duration> retention
)
{
    const Instant now = transaction.now();
    const auto written = transaction.execute(
        "INSERT INTO idempotencia_operacoes "
        "(tenant_id, idempotencia_key, tipo_operacao, entidade_id, resultado, created_at, "
        "expires_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7) "
        "ON CONFLICT (tenant_id, idempotencia_key, tipo_operacao) DO UPDATE SET "
        "entidade_id = excluded.entidade_id, resultado = excluded.resultado, "
        "created_at = excluded.created_at, expires_at = excluded.expires_at",
        {operacao.tenant_id.text(),
         operacao.key.text(),
         std::string{operacao.tipo},
         entidade_id,
         std::move(resultado),
         to_micros(now),
         retention ? Value{to_micros(now + *retention)} : Value{}}
    );
    if (!written) return std::unexpected(written.error());
    return {};
}

Result<void> delete_operacoes(
    Transaction& transaction, std::string_view tipo, std::span<const RecordId> ids
)
{
    for (const RecordId& id : ids) {
        const auto deleted = transaction.execute(
            "DELETE FROM idempotencia_operacoes "
            "WHERE tenant_id = $1 AND idempotencia_key = $2 AND tipo_operacao = $3",
            {id.tenant_id.text(), id.key.text(), std::string{tipo}}
        );
        if (!deleted) return std::unexpected(deleted.error());
    }
    return {};
}

}  // namespace umavez::propostas
