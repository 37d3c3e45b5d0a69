#include "modules/fiscal/guard.hpp"

#include "modules/parts/columns.hpp"
#include "modules/parts/read.hpp"

namespace umavez::fiscal {
namespace {

// One authority, environment and issuer.
Values place_of(const Authority& authority, const Subject& subject)
{
    return {
        std::string{authority.name()}, std::string{to_text(subject.ambiente)}, subject.emitente
    };
}

Result<std::optional<GuardState>> find_state(
    Transaction& transaction, const Values& place, std::string_view lock
)
{
    std::string sql =
        "SELECT bloqueada_ate, proxima_em FROM fiscal_guarda "
        "WHERE autoridade = $1 AND ambiente = $2 AND emitente = $3";
    sql += lock;
    return modules::only_row(
        transaction.query(sql, place),
        [](const Row& row) -> Result<GuardState> {
            return GuardState{
                .blocked_until = from_micros(row.integer(0)), .next_at = from_micros(row.integer(1))
            };
        }
    );
}

// The state, held until the transaction ends; made where it is not there.
Result<GuardState> lock_state(Transaction& transaction, const Values& place)
{
    const std::string_view lock = modules::row_lock(transaction.dialect());
    auto found = find_state(transaction, place, lock);
    if (!found) return std::unexpected(found.error());
    if (*found) return **found;
    const auto made = transaction.execute(
        "INSERT INTO fiscal_guarda (autoridade, ambiente, emitente, bloqueada_ate, proxima_em) "
        "VALUES ($1, $2, $3, 0, 0) ON CONFLICT DO NOTHING",
        place
    );
    if (!made) return std::unexpected(made.error());
    found = find_state(transaction, place, lock);
    if (!found) return std::unexpected(found.error());
    return found->value_or(GuardState{});
}

Result<void> write_state(Transaction& transaction, Values place, const GuardState& state)
{
    place.emplace_back(to_micros(state.blocked_until));
    place.emplace_back(to_micros(state.next_at));
    const auto written = transaction.execute(
        "UPDATE fiscal_guarda SET bloqueada_ate = $4, proxima_em = $5 "
        "WHERE autoridade = $1 AND ambiente = $2 AND emitente = $3",
        place
    );
    if (!written) return std::unexpected(written.error());
    return {};
}

}  // namespace

Result<Permission> Guard::ask(const Authority& authority, const Subject& subject, GuardedCall call)
{
    // What is not counted needs no lock.
    if (call == GuardedCall::change || settings_.rule.per_minute <= 0) {
        const auto blocked = find_block(authority, subject);
        if (!blocked) return std::unexpected(blocked.error());
        if (!*blocked) return Permission{};
        return Permission{.is_given = false, .is_blocked = true, .wait = **blocked};
    }
    const Values place = place_of(authority, subject);
    Permission permission;
    const auto done = database_.transact([&](Transaction& transaction) -> Result<void> {
        auto state = lock_state(transaction, place);
        if (!state) return std::unexpected(state.error());
        const GuardState before = *state;
        permission = fiscal::ask(*state, settings_.rule, call, transaction.now());
        if (*state == before) return {};
        return write_state(transaction, place, *state);
    });
    if (!done) return std::unexpected(done.error());
    return permission;
}

Result<std::optional<Duration>> Guard::find_block(
    const Authority& authority, const Subject& subject
)
{
    using Block = std::optional<Duration>;
    return modules::read(database_, [&](Transaction& transaction) -> Result<Block> {
        const auto state = find_state(transaction, place_of(authority, subject), "");
        if (!state) return std::unexpected(state.error());
        if (!*state || transaction.now() >= (*state)->blocked_until) return std::nullopt;
        return (*state)->blocked_until - transaction.now();
    });
}

void Guard::charge(const Authority& authority, const Subject& subject, std::int64_t exchanges)
{
    if (settings_.rule.per_minute <= 0 || exchanges <= 0) return;
    const Values place = place_of(authority, subject);
    static_cast<void>(database_.transact([&](Transaction& transaction) -> Result<void> {
        auto state = lock_state(transaction, place);
        if (!state) return std::unexpected(state.error());
        fiscal::charge(*state, settings_.rule, exchanges, transaction.now());
        return write_state(transaction, place, *state);
    }));
}

Result<Duration> Guard::block(
    const Authority& authority, const Subject& subject, std::optional<Duration> wish
)
{
    const Values place = place_of(authority, subject);
    Duration length{};
    const auto done = database_.transact([&](Transaction& transaction) -> Result<void> {
        auto state = lock_state(transaction, place);
        if (!state) return std::unexpected(state.error());
        fiscal::block(*state, wish, settings_.block, transaction.now());
        length = state->blocked_until - transaction.now();
        return write_state(transaction, place, *state);
    });
    if (!done) return std::unexpected(done.error());
    return length;
}

}  // namespace umavez::fiscal
