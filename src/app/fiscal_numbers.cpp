#include "app/fiscal_numbers.hpp"

#include "modules/fiscal/ids/tipo.hpp"
#include "modules/fiscal/rules/estado.hpp"
#include "modules/fiscal/rules/void_deadline.hpp"

#include <algorithm>

namespace umavez {
namespace {

using Numbers = EngineSnapshot::Fiscal;

Result<void> add_states(Transaction& transaction, Numbers& numbers)
{
    for (std::string& estado : fiscal::estado_words()) {
        numbers.by_estado.push_back({std::move(estado), 0});
    }
    const auto rows = transaction.query(
        "SELECT estado, count(*), count(alerta) FROM documentos_fiscais GROUP BY estado"
    );
    if (!rows) return std::unexpected(rows.error());
    for (const Row& row : *rows) {
        for (auto& [estado, count] : numbers.by_estado) {
            if (estado == row.text(0)) count = row.integer(1);
        }
        numbers.alerts += row.integer(2);
    }
    return {};
}

// What is in doubt has a time when a worker looks at it, so that small index leads there.
Result<void> add_doubt(Transaction& transaction, Numbers& numbers)
{
    const auto rows = transaction.query(
        "SELECT min(coalesce(enviado_ate, updated_at)) FROM documentos_fiscais "
        "WHERE conciliar_em IS NOT NULL AND estado = 'INDETERMINADO'"
    );
    if (!rows) return std::unexpected(rows.error());
    if (rows->front().is_null(0)) return {};
    const Duration age = transaction.now() - from_micros(rows->front().integer(0));
    numbers.oldest_in_doubt_seconds = std::max(0.0, std::chrono::duration<double>(age).count());
    return {};
}

Result<void> add_overdue(Transaction& transaction, Numbers& numbers)
{
    const auto rows = transaction.query(
        "SELECT count(*) FROM documentos_fiscais WHERE estado IN ('RESERVADO', 'REJEITADO') "
        "AND prazo_inutilizacao < $1 AND tipo IN ('nfe', 'nfce')",
        {fiscal::to_text(fiscal::local_date(transaction.now()))}
    );
    if (!rows) return std::unexpected(rows.error());
    numbers.overdue_numbers = rows->front().integer(0);
    return {};
}

Result<void> add_blocked(
    Transaction& transaction, const std::vector<std::string>& authorities, Numbers& numbers
)
{
    for (const std::string& authority : authorities) {
        for (std::string& ambiente : fiscal::ambiente_words()) {
            numbers.blocked.push_back({authority, std::move(ambiente), 0});
        }
    }
    const auto rows = transaction.query(
        "SELECT autoridade, ambiente, count(*) FROM fiscal_guarda WHERE bloqueada_ate > $1 "
        "GROUP BY autoridade, ambiente",
        {to_micros(transaction.now())}
    );
    if (!rows) return std::unexpected(rows.error());
    for (const Row& row : *rows) {
        const auto found = std::ranges::find_if(numbers.blocked, [&](const auto& known) {
            return known.authority == row.text(0) && known.environment == row.text(1);
        });
        if (found != numbers.blocked.end()) {
            found->issuers = row.integer(2);
        } else {
            numbers.blocked.push_back({row.text(0), row.text(1), row.integer(2)});
        }
    }
    return {};
}

}  // namespace

Result<Numbers> count_fiscal(Transaction& transaction, const std::vector<std::string>& authorities)
{
    Numbers numbers;
    for (const auto add : {add_states, add_doubt, add_overdue}) {
        if (auto added = add(transaction, numbers); !added) return std::unexpected(added.error());
    }
    if (auto added = add_blocked(transaction, authorities, numbers); !added) {
        return std::unexpected(added.error());
    }
    return numbers;
}

}  // namespace umavez
