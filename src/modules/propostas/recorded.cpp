#include "modules/propostas/recorded.hpp"

#include "modules/propostas/answers.hpp"
#include "modules/propostas/operacoes_table.hpp"

#include <utility>

namespace umavez::propostas {
namespace {

using key_protocol::AtomicAction;
using modules::Origin;

// `resultado` is the entity alone.
std::string without_newline(std::string body)
{
    while (body.ends_with('\n')) body.pop_back();
    return body;
}

}  // namespace

AtomicAction recorded(
    Origin origin, RecordedOperation operation, AtomicAction show, AtomicAction change
)
{
    if (!origin.key) return change;
    return [origin = std::move(origin),
            operation = std::move(operation),
            show = std::move(show),
            change = std::move(change)](Transaction& transaction) -> Answered {
        const Operacao row{origin.tenant_id, *origin.key, operation.tipo};
        const auto earlier = find_operacao(transaction, row);
        if (!earlier) return std::unexpected(earlier.error());
        if (*earlier && **earlier != operation.entidade_id) return refused(key_used_elsewhere());
        auto answer = *earlier ? show(transaction) : change(transaction);
        if (!answer || !*answer) return answer;
        if (*earlier) return as_done(**std::move(answer));
        const auto written = write_operacao(
            transaction,
            row,
            operation.entidade_id,
            without_newline((*answer)->body),
            operation.retention
        );
        if (!written) return std::unexpected(written.error());
        return answer;
    };
}

}  // namespace umavez::propostas
