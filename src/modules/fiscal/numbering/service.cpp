#include "modules/fiscal/numbering/service.hpp"

#include "http/validation.hpp"
#include "modules/fiscal/numbering/answers.hpp"
#include "modules/fiscal/numbering/faixas_table.hpp"
#include "modules/fiscal/numbering/reserve.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal {
namespace {

using key_protocol::AtomicAction;
using key_protocol::ExpectedVersion;
using modules::Answered;
using modules::Origin;
using modules::refused;

http::Problem wrong_last_number(std::int64_t maior_numero, http::Language language)
{
    return http::validation_problem(
        {{"ultimo_numero",
          {fmt::format(
               "must be the largest number that a document of the series has, {}", maior_numero
           ),
           fmt::format("deve ser o maior número de um documento da série, {}", maior_numero)}}},
        language
    );
}

Answered run_criar_faixa(Transaction& transaction, const Origin& origin, const NovaFaixa& nova)
{
    // Before anything is said of its numbers: they are those that this range gave out.
    const auto earlier = find_faixa_of(transaction, origin.tenant_id, nova.serie);
    if (!earlier) return std::unexpected(earlier.error());
    if (*earlier) return refused(range_exists(**earlier));
    const auto largest = largest_numero(transaction, origin.tenant_id, nova.serie);
    if (!largest) return std::unexpected(largest.error());
    if (*largest > nova.ultimo_numero) {
        return refused(wrong_last_number(*largest, origin.language));
    }
    const auto made = insert_faixa(transaction, origin.tenant_id, nova.serie, nova.ultimo_numero);
    if (!made) return std::unexpected(made.error());
    if (*made) return to_response(201, **made);
    const auto rival = find_faixa_of(transaction, origin.tenant_id, nova.serie);
    if (!rival) return std::unexpected(rival.error());
    if (*rival) return refused(range_exists(**rival));
    return fail(Errc::store_unavailable, "the range vanished inside the transaction; try again");
}

Answered run_alterar_faixa(
    Transaction& transaction,
    const Origin& origin,
    std::int64_t id,
    const FaixaChanges& changes,
    const ExpectedVersion& expected
)
{
    auto found = find_faixa_locked(transaction, origin.tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refused(modules::not_found("faixa", id));
    Faixa& next = **found;
    if (auto conflict = key_protocol::check_version(expected, next.versao)) {
        return refused(*std::move(conflict));
    }
    if (changes.ultimo_numero && *changes.ultimo_numero != next.ultimo_numero) {
        const auto largest = largest_numero(transaction, origin.tenant_id, next.serie);
        if (!largest) return std::unexpected(largest.error());
        if (*changes.ultimo_numero != *largest || *largest < next.ultimo_numero) {
            return refused(
                wrong_last_number(std::max(*largest, next.ultimo_numero), origin.language)
            );
        }
        next.ultimo_numero = *largest;
    }
    if (changes.bloqueado) next.bloqueado = *changes.bloqueado;
    ++next.versao;
    next.updated_at = transaction.now();
    if (const auto written = replace_faixa(transaction, next); !written) {
        return std::unexpected(written.error());
    }
    return to_response(200, next);
}

Answered run_reservar(Transaction& transaction, const Origin& origin, const NovaReserva& nova)
{
    const auto reserved = reserve_number(transaction, origin.tenant_id, nova);
    if (!reserved) return std::unexpected(reserved.error());
    if (!*reserved) return refused(reserved->error());
    const Documento& documento = **reserved;
    return modules::entity_response(
        201, {"documentos-fiscais", documento.id, documento.versao}, to_json(documento)
    );
}

}  // namespace

AtomicAction criar_faixa(Origin origin, NovaFaixa nova)
{
    return [origin = std::move(origin), nova = std::move(nova)](Transaction& transaction) {
        return run_criar_faixa(transaction, origin, nova);
    };
}

AtomicAction alterar_faixa(
    Origin origin, std::int64_t id, FaixaChanges changes, ExpectedVersion expected
)
{
    return [origin = std::move(origin), id, changes, expected = std::move(expected)](
               Transaction& transaction
           ) { return run_alterar_faixa(transaction, origin, id, changes, expected); };
}

AtomicAction reservar_numero(Origin origin, NovaReserva nova)
{
    return [origin = std::move(origin), nova = std::move(nova)](Transaction& transaction) {
        return run_reservar(transaction, origin, nova);
    };
}

}  // namespace umavez::fiscal
