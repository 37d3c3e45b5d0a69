#include "simulation/ledger_table.hpp"

#include "simulation/clocks.hpp"

#include <array>

namespace umavez::simulation {

Result<void> make_ledger_table(Database& database)
{
    const std::array migrations = {
        Migration{
            .module = "sim_ledger",
            .version = 1,
            .sql = "CREATE TABLE sim_ledger ("
                   "number BIGINT PRIMARY KEY, tenant_id TEXT NOT NULL, operation TEXT NOT NULL, "
                   "key TEXT NOT NULL, payload TEXT NOT NULL, at BIGINT NOT NULL)",
        },
    };
    return database.migrate(migrations);
}

RecordId record_id_of(const Row& row, std::size_t first)
{
    return {
        *TenantId::parse(row.text(first)),
        *Operation::parse(row.text(first + 1)),
        *Key::parse(row.text(first + 2)),
    };
}

Result<void> read_ledger(Transaction& transaction, Evidence& evidence)
{
    const auto rows = transaction.query(
        "SELECT number, tenant_id, operation, key, payload, at FROM sim_ledger ORDER BY number"
    );
    if (!rows) return std::unexpected(rows.error());
    for (const Row& row : *rows) {
        evidence.keys[record_id_of(row, 1)].effects.push_back({
            .number = static_cast<std::uint64_t>(row.integer(0)),
            .payload = row.text(4),
            .at = from_micros(row.integer(5)) - world_began,
        });
    }
    return {};
}

}  // namespace umavez::simulation
