#include "modules/propostas/propostas_service.hpp"

#include "modules/propostas/answers.hpp"
#include "modules/propostas/clientes_table.hpp"
#include "modules/propostas/propostas_table.hpp"
#include "modules/propostas/recorded.hpp"

#include <utility>

namespace umavez::propostas {
namespace {

using key_protocol::AtomicAction;
using modules::Origin;

Result<void> note_step(
    Transaction& transaction,
    const Origin& origin,
    std::string_view operacao,
    std::optional<Estado> before,
    const Proposta& proposta
)
{
    const HistoricoStep step{
        .versao = proposta.versao,
        .operacao = std::string{operacao},
        .estado_anterior = before,
        .estado = proposta.estado,
        .valor = proposta.valor,
        .usuario = origin.usuario,
        .created_at = proposta.updated_at,
    };
    return append_historico(transaction, origin.tenant_id, proposta.id, step);
}

Answered run_criar(Transaction& transaction, const Origin& origin, const NovaProposta& nova)
{
    const auto cliente = find_cliente(transaction, origin.tenant_id, nova.cliente_id);
    if (!cliente) return std::unexpected(cliente.error());
    if (*cliente) {
        const auto inserted = insert_proposta(transaction, origin.tenant_id, nova, origin.key);
        if (!inserted) return std::unexpected(inserted.error());
        if (*inserted) {
            const auto noted = note_step(transaction, origin, "criar", std::nullopt, **inserted);
            if (!noted) return std::unexpected(noted.error());
            return to_response(201, **inserted);
        }
    }
    if (origin.key) {
        const auto earlier = find_proposta_by_key(transaction, origin.tenant_id, *origin.key);
        if (!earlier) return std::unexpected(earlier.error());
        if (*earlier) return as_done(to_response(201, **earlier));
    }
    return refused(unknown_cliente(nova.cliente_id, origin.language));
}

Answered show_proposta(Transaction& transaction, const Origin& origin, std::int64_t id)
{
    const auto found = find_proposta(transaction, origin.tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refused(not_found("proposta", id));
    return to_response(200, **found);
}

Answered run_step(Transaction& transaction, const Origin& origin, const Step& step)
{
    const auto found = find_proposta(transaction, origin.tenant_id, step.proposta_id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refused(not_found("proposta", step.proposta_id));
    const Proposta& before = **found;
    if (auto conflict = key_protocol::check_version(step.expected, before.versao)) {
        return refused(*std::move(conflict));
    }
    const auto estado = estado_after(before.estado, step.passo);
    if (!estado) return refused(invalid_transition(before, step.passo));

    Proposta after = before;
    after.estado = *estado;
    after.valor = step.valor.value_or(before.valor);
    after.versao = before.versao + 1;
    after.updated_at = transaction.now();
    if (const auto replaced = replace_proposta(transaction, after); !replaced) {
        return std::unexpected(replaced.error());
    }
    const auto noted = note_step(transaction, origin, to_text(step.passo), before.estado, after);
    if (!noted) return std::unexpected(noted.error());
    return to_response(200, after);
}

}  // namespace

AtomicAction criar_proposta(Origin origin, NovaProposta nova)
{
    return [origin = std::move(origin), nova](Transaction& transaction) {
        return run_criar(transaction, origin, nova);
    };
}

AtomicAction dar_passo(Origin origin, Step step)
{
    RecordedOperation operation{tipo_operacao(step.passo), step.proposta_id, step.retention};
    AtomicAction show = [origin, id = step.proposta_id](Transaction& transaction) {
        return show_proposta(transaction, origin, id);
    };
    AtomicAction change = [origin, step = std::move(step)](Transaction& transaction) {
        return run_step(transaction, origin, step);
    };
    return recorded(std::move(origin), std::move(operation), std::move(show), std::move(change));
}

std::string tipo_operacao(Passo passo)
{
    return std::string{to_text(passo)} + "_proposta";
}

}  // namespace umavez::propostas
