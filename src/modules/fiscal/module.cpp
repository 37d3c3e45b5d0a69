#include "modules/fiscal/module.hpp"

#include "base/assert.hpp"
#include "base/json_object.hpp"
#include "modules/fiscal/cancellation.hpp"
#include "modules/fiscal/emission.hpp"
#include "modules/fiscal/voiding.hpp"

#include <utility>

namespace umavez::fiscal {
namespace {

constexpr std::size_t absences_max = 1000;  // those whose handler never came

// What a record keeps is small and says little: clients are answered from the row, as it is now.
OperationSpec operation(std::string_view name, const Settings& settings)
{
    OperationSpec spec{.name = std::string{name}};
    spec.policy.guarantee = Guarantee::leased;
    spec.policy.key = KeyRule::required;
    spec.policy.lease = settings.lease;
    spec.policy.settle = settings.settle;
    spec.policy.retention = std::nullopt;
    spec.policy.on_mismatch = OnMismatch::original;
    spec.policy.on_abandoned = OnAbandoned::reconcile;
    spec.policy.finality = Finality::success;
    spec.has_own_worker = true;
    return spec;
}

}  // namespace

Module::Module(Needs needs)
    : needs_(std::move(needs)),
      guard_(needs_.database, needs_.settings.guard),
      parts_{
          .database = needs_.database,
          .guard = guard_,
          .settings = needs_.settings,
          .on_event = needs_.on_event,
          .leaving = leaving_.get_token(),
          .cutting = cutting_.get_token(),
      }
{
}

const TipoParts* Module::find_tipo(Tipo tipo) const noexcept
{
    const auto found = needs_.tipos.find(tipo);
    return found == needs_.tipos.end() ? nullptr : &found->second;
}

bool Module::is_issuer(const TenantId& tenant_id, const std::string& emitente) const
{
    const auto found = needs_.issuers.find(emitente);
    return found != needs_.issuers.end() && found->second == tenant_id;
}

void Module::note_absence(const FencingToken& token, std::int64_t versao)
{
    const std::lock_guard guard{mutex_};
    if (absences_.size() >= absences_max) absences_.clear();
    absences_[token.execution] = versao;
}

bool Module::take_absence(const FencingToken& token, std::int64_t versao)
{
    const std::lock_guard guard{mutex_};
    const auto found = absences_.find(token.execution);
    if (found == absences_.end()) return false;
    const bool is_this = found->second == versao;
    absences_.erase(found);
    return is_this;
}

std::vector<OperationSpec> operations(Module& module)
{
    std::vector<OperationSpec> all;
    all.push_back(operation(emitir_operation, module.settings()));
    all.back().reconcile = blocking_reconciler([&module](const Enquiry& enquiry) {
        return reconcile_emission(module, enquiry);
    });
    all.push_back(operation(cancelar_operation, module.settings()));
    all.back().reconcile = blocking_reconciler([&module](const Enquiry& enquiry) {
        return reconcile_cancellation(module, enquiry);
    });
    all.push_back(operation(inutilizar_operation, module.settings()));
    all.back().reconcile = blocking_reconciler([&module](const Enquiry& enquiry) {
        return reconcile_voiding(module, enquiry);
    });
    return all;
}

Request request_of(
    std::string_view operation, const TenantId& tenant_id, const std::string& id_idempotencia
)
{
    const auto name = Operation::parse(operation);
    const auto key = Key::parse(id_idempotencia);
    UMAVEZ_ASSERT(name && key);
    return {
        .tenant_id = tenant_id,
        .operation = *name,
        .key = *key,
        .target = make_target({operation, id_idempotencia}),
        .fingerprint = fingerprint_bytes("text/plain", id_idempotencia),
    };
}

Response kept_response(const Documento& documento)
{
    Response response{.status = 200};
    response.headers.push_back({"Content-Type", "application/json"});
    response.body =
        JsonObject{}.number("id", documento.id).text("estado", to_text(documento.estado)).str() +
        '\n';
    response.entity = Entity{"documentos-fiscais", std::to_string(documento.id)};
    return response;
}

}  // namespace umavez::fiscal
