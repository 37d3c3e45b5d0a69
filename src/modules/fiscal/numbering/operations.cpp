#include "modules/fiscal/numbering/operations.hpp"

#include <string>
#include <utility>

namespace umavez::fiscal {
namespace {

// A refusal is not kept: a series that is blocked today gives the number to the same key tomorrow.
OperationSpec operation(std::string name)
{
    OperationSpec spec{.name = std::move(name)};
    spec.policy.guarantee = Guarantee::atomic;
    spec.policy.key = KeyRule::required;
    spec.policy.on_mismatch = OnMismatch::reject;
    spec.policy.replay = Replaying::stored;
    spec.policy.finality = Finality::success;
    return spec;
}

}  // namespace

OperationSpec faixas_criar()
{
    return operation("numeracao.faixas.criar");
}

OperationSpec faixas_alterar()
{
    return operation("numeracao.faixas.alterar");
}

OperationSpec numeracao_reservar()
{
    OperationSpec spec = operation("numeracao.reservar");
    spec.policy.retention = std::nullopt;
    return spec;
}

}  // namespace umavez::fiscal
