#include "modules/propostas/operations.hpp"

#include "modules/propostas/answers.hpp"
#include "modules/propostas/clientes_table.hpp"
#include "modules/propostas/operacoes_table.hpp"
#include "modules/propostas/propostas_service.hpp"
#include "modules/propostas/propostas_table.hpp"

#include <string>
#include <utility>

namespace umavez::propostas {
namespace {

OperationSpec operation(std::string name, OnMismatch on_mismatch)
{
    OperationSpec spec{.name = std::move(name)};
    spec.policy.guarantee = Guarantee::atomic;
    spec.policy.on_mismatch = on_mismatch;
    spec.policy.replay = Replaying::current;
    spec.policy.retention = std::nullopt;
    spec.policy.finality = Finality::success;
    return spec;
}

// The entity of a record as it is now.
template <typename Find>
void show_current(OperationSpec& spec, Find find)
{
    spec.current = [name = spec.name,
                    find](Transaction& transaction, const Record& record) -> Result<Response> {
        const auto entity = find(transaction, entity_id_of(record));
        if (!entity) return std::unexpected(entity.error());
        if (!*entity) return gone(name, record);
        // The first answer's status, so a creation has its Location again.
        return to_response(record.response->response.status, **entity);
    };
}

void sweep_rows(OperationSpec& spec, std::string tipo, const Settings& settings)
{
    spec.policy.retention = settings.retencao_operacoes;
    spec.swept = [tipo = std::move(tipo)](Transaction& transaction, std::span<const RecordId> ids) {
        return delete_operacoes(transaction, tipo, ids);
    };
}

}  // namespace

std::optional<std::string_view> why_retention_is_fixed(std::string_view operation)
{
    if (operation == "clientes.criar" || operation == "propostas.criar") {
        return "the key of a creation stays in its row, so it is kept for ever; leave it out";
    }
    if (operation.starts_with("clientes.") || operation.starts_with("propostas.")) {
        return "the key also stands in idempotencia_operacoes; set [propostas] retencao_operacoes, "
               "which lets both end together";
    }
    return std::nullopt;
}

OperationSpec clientes_criar()
{
    OperationSpec spec = operation("clientes.criar", OnMismatch::original);
    show_current(spec, find_cliente_of_record);
    return spec;
}

OperationSpec clientes_alterar(const Settings& settings)
{
    OperationSpec spec = operation("clientes.alterar", OnMismatch::reject);
    show_current(spec, find_cliente_of_record);
    sweep_rows(spec, "alterar_cliente", settings);
    return spec;
}

OperationSpec propostas_criar()
{
    OperationSpec spec = operation("propostas.criar", OnMismatch::original);
    show_current(spec, find_proposta_of_record);
    return spec;
}

OperationSpec propostas_passo(Passo passo, const Settings& settings)
{
    // Whatever a retry of a submission says, the first one stands.
    const OnMismatch on_mismatch =
        passo == Passo::submeter ? OnMismatch::original : OnMismatch::reject;
    OperationSpec spec = operation("propostas." + std::string{to_text(passo)}, on_mismatch);
    show_current(spec, find_proposta_of_record);
    sweep_rows(spec, tipo_operacao(passo), settings);
    return spec;
}

}  // namespace umavez::propostas
