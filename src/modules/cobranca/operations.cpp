#include "modules/cobranca/operations.hpp"

#include <string>
#include <utility>

namespace umavez::cobranca {
namespace {

OperationSpec operation(std::string name)
{
    OperationSpec spec{.name = std::move(name)};
    spec.policy.guarantee = Guarantee::atomic;
    spec.policy.key = KeyRule::required;
    spec.policy.on_mismatch = OnMismatch::reject;
    spec.policy.replay = Replaying::stored;
    spec.policy.retention = std::chrono::hours{24};
    return spec;
}

}  // namespace

OperationSpec assinaturas_criar()
{
    return operation("assinaturas.criar");
}

OperationSpec assinaturas_alterar()
{
    return operation("assinaturas.alterar");
}

OperationSpec faturas_criar()
{
    return operation("faturas.criar");
}

OperationSpec faturas_cancelar()
{
    return operation("faturas.cancelar");
}

OperationSpec pagamentos_aplicar()
{
    return operation("pagamentos.aplicar");
}

}  // namespace umavez::cobranca
