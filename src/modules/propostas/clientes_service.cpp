#include "modules/propostas/clientes_service.hpp"

#include "modules/propostas/answers.hpp"
#include "modules/propostas/clientes_table.hpp"
#include "modules/propostas/recorded.hpp"

#include <utility>

namespace umavez::propostas {
namespace {

using key_protocol::AtomicAction;
using modules::Origin;

Answered run_criar(Transaction& transaction, const Origin& origin, const NovoCliente& novo)
{
    const auto inserted = insert_cliente(transaction, origin.tenant_id, novo, origin.key);
    if (!inserted) return std::unexpected(inserted.error());
    if (*inserted) return to_response(201, **inserted);
    if (origin.key) {
        const auto earlier = find_cliente_by_key(transaction, origin.tenant_id, *origin.key);
        if (!earlier) return std::unexpected(earlier.error());
        if (*earlier) return as_done(to_response(201, **earlier));
    }
    return refused(email_taken(novo.email));
}

Answered show_cliente(Transaction& transaction, const Origin& origin, std::int64_t id)
{
    const auto found = find_cliente(transaction, origin.tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refused(not_found("cliente", id));
    return to_response(200, **found);
}

Answered run_alterar(
    Transaction& transaction, const Origin& origin, std::int64_t id, const ClienteChanges& changes
)
{
    auto found = find_cliente(transaction, origin.tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return refused(not_found("cliente", id));
    Cliente& cliente = **found;
    if (changes.nome) cliente.nome = *changes.nome;
    if (changes.email) cliente.email = *changes.email;
    if (changes.documento) cliente.documento = *changes.documento;
    cliente.updated_at = transaction.now();
    const auto updated = update_cliente(transaction, cliente);
    if (!updated) return std::unexpected(updated.error());
    if (!*updated) return refused(email_taken(cliente.email));
    return to_response(200, cliente);
}

}  // namespace

AtomicAction criar_cliente(Origin origin, NovoCliente novo)
{
    return [origin = std::move(origin), novo = std::move(novo)](Transaction& transaction) {
        return run_criar(transaction, origin, novo);
    };
}

AtomicAction alterar_cliente(
    Origin origin, std::int64_t id, ClienteChanges changes, std::optional<Duration> retention
)
{
    AtomicAction show = [origin, id](Transaction& transaction) {
        return show_cliente(transaction, origin, id);
    };
    AtomicAction change = [origin, id, changes = std::move(changes)](Transaction& transaction) {
        return run_alterar(transaction, origin, id, changes);
    };
    return recorded(
        std::move(origin), {"alterar_cliente", id, retention}, std::move(show), std::move(change)
    );
}

}  // namespace umavez::propostas
