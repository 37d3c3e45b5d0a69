#include "modules/mailing/operations.hpp"

#include "base/json_object.hpp"
#include "modules/mailing/answers.hpp"
#include "modules/mailing/mailings_table.hpp"
#include "modules/parts/columns.hpp"

#include <string>
#include <utility>

namespace umavez::mailing {
namespace {

OperationSpec operation(std::string name)
{
    OperationSpec spec{.name = std::move(name)};
    spec.policy.guarantee = Guarantee::atomic;
    spec.policy.key = KeyRule::optional;
    spec.policy.on_mismatch = OnMismatch::reject;
    return spec;
}

// By its uuid alone: the record that names it is of its tenant.
Result<std::optional<Mailing>> find_mailing_of(Transaction& transaction, const Record& record)
{
    std::string uuid;
    if (record.response && record.response->response.entity) {
        uuid = record.response->response.entity->id;
    }
    return modules::only_row(
        transaction.query(std::string{select_mailing_head} + "WHERE uuid = $1", {uuid}), to_mailing
    );
}

void show_current(OperationSpec& spec)
{
    spec.policy.replay = Replaying::current;
    spec.policy.finality = Finality::success;
    spec.current =
        [name = spec.name](Transaction& transaction, const Record& record) -> Result<Response> {
        const auto mailing = find_mailing_of(transaction, record);
        if (!mailing) return std::unexpected(mailing.error());
        if (*mailing) return to_response(record.response->response.status, **mailing);
        Response gone{.status = 410};
        gone.body =
            JsonObject{}.text("operation", name).instant("created_at", record.created_at).str();
        return gone;
    };
}

}  // namespace

OperationSpec mailings_alterar()
{
    OperationSpec spec = operation("mailings.alterar");
    show_current(spec);
    return spec;
}

OperationSpec mailings_order(Order order)
{
    OperationSpec spec = operation("mailings." + std::string{to_text(order)});
    show_current(spec);
    return spec;
}

OperationSpec supressoes_criar()
{
    return operation("supressoes.criar");
}

OperationSpec supressoes_remover()
{
    return operation("supressoes.remover");
}

}  // namespace umavez::mailing
