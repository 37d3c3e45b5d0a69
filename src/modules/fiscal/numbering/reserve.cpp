#include "modules/fiscal/numbering/reserve.hpp"

#include "modules/fiscal/documentos_table.hpp"
#include "modules/fiscal/numbering/answers.hpp"
#include "modules/fiscal/numbering/faixas_table.hpp"
#include "modules/fiscal/rules/void_deadline.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {
namespace {

using Reserved = std::expected<Documento, http::Problem>;

Result<Reserved> refused(http::Problem problem)
{
    return Reserved{std::unexpected(std::move(problem))};
}

// Why take_number found nothing to take from.
Result<Reserved> explain(Transaction& transaction, const TenantId& tenant_id, const Serie& serie)
{
    const auto faixa = find_faixa_of(transaction, tenant_id, serie);
    if (!faixa) return std::unexpected(faixa.error());
    if (!*faixa) return refused(no_range(serie));
    if ((*faixa)->bloqueado) return refused(series_is_blocked(**faixa));
    if ((*faixa)->ultimo_numero == (*faixa)->numero_max) return refused(no_numbers_left(**faixa));
    return fail(Errc::store_unavailable, "the range was changed at this very moment; try again");
}

}  // namespace

Result<Reserved> reserve_number(
    Transaction& transaction, const TenantId& tenant_id, const NovaReserva& nova
)
{
    const auto taken = take_number(transaction, tenant_id, nova.serie);
    if (!taken) return std::unexpected(taken.error());
    if (!*taken) return explain(transaction, tenant_id, nova.serie);
    const std::int64_t numero = (*taken)->ultimo_numero;

    // The range's word is not enough: documents know which numbers are in use, whoever restored the range.
    const auto largest = largest_numero(transaction, tenant_id, nova.serie);
    if (!largest) return std::unexpected(largest.error());
    Faixa before = **taken;
    --before.ultimo_numero;
    if (*largest >= numero) return refused(numbers_in_use(before, *largest));

    const auto named = name_number(nova.serie, nova.lugar, numero);
    if (!named) {
        return fail(
            Errc::corrupt_record,
            fmt::format("number {} of range {} has no name", numero, before.id)
        );
    }
    Reserva reserva{
        .identidade =
            {
                .tipo = nova.serie.tipo,
                .ambiente = nova.serie.ambiente,
                .emitente = nova.serie.emitente,
                .serie = nova.serie.serie,
                .numero = numero,
                .id_idempotencia = named->id_idempotencia,
            },
        .prazo_inutilizacao = to_text(void_deadline(transaction.now())),
    };
    if (!named->id_autoridade.empty()) reserva.identidade.id_autoridade = named->id_autoridade;
    auto made = insert_reserved(transaction, tenant_id, reserva);
    if (!made) return std::unexpected(made.error());
    // Of another series as we write them, and yet of the same natural key.
    if (!*made) return refused(numbers_in_use(before, numero));
    return Reserved{**std::move(made)};
}

Result<std::optional<http::Problem>> check_unreserved(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Identidade& identidade,
    NumberCheck why
)
{
    const Serie serie{identidade.tipo, identidade.ambiente, identidade.emitente, identidade.serie};
    const auto faixa = why == NumberCheck::before_use
                           ? find_faixa_of_locked(transaction, tenant_id, serie)
                           : find_faixa_of(transaction, tenant_id, serie);
    if (!faixa) return std::unexpected(faixa.error());
    if (!*faixa) return std::nullopt;
    if ((*faixa)->bloqueado) return series_is_blocked(**faixa);
    if (identidade.numero > (*faixa)->ultimo_numero) return not_reserved(**faixa);
    const auto is_used = is_numero_used_by_another(
        transaction, tenant_id, serie, identidade.numero, identidade.id_idempotencia
    );
    if (!is_used) return std::unexpected(is_used.error());
    if (*is_used) return number_of_another(**faixa, identidade.numero);
    return std::nullopt;
}

}  // namespace umavez::fiscal
