#include "mediator/mediator_core.hpp"

#include "mediator/placed.hpp"
#include "mediator/send_errors.hpp"

#include <umavez/mediator.hpp>

#include <algorithm>
#include <utility>

namespace umavez {
namespace detail {
namespace {

// Each claim adds at most one record, and a sweep takes up to EngineOptions::sweep_batch away.
constexpr std::uint64_t claims_per_sweep = 256;

std::size_t find_idempotency(const std::vector<std::shared_ptr<Behaviour>>& behaviours)
{
    const auto found = std::ranges::find_if(behaviours, [](const auto& behaviour) {
        return dynamic_cast<const IdempotencyPlace*>(behaviour.get()) != nullptr;
    });
    return static_cast<std::size_t>(found - behaviours.begin());
}

}  // namespace

MediatorCore::MediatorCore(Parts parts)
    : parts_(std::move(parts)),
      idempotency_(*parts_.engine, *parts_.key_generator),
      idempotency_at_(find_idempotency(parts_.behaviours))
{
}

const CommandEntry* MediatorCore::find(std::size_t index) const noexcept
{
    if (index >= parts_.number_by_index.size()) return nullptr;
    const std::size_t number = parts_.number_by_index[index];
    return number < parts_.commands.size() ? parts_.commands[number].entry.get() : nullptr;
}

const DeclaredCommand& MediatorCore::declared(const Send& send) const noexcept
{
    return parts_.commands[send.entry_.number];
}

Task<Sent> MediatorCore::run(Send& send)
{
    Sent sent;
    try {
        if (send.options_.stop.stop_requested()) {
            sent = std::unexpected(cancelled(send.command_name()));
        } else if (send.outer_ != nullptr && !send.entry_.has_transaction) {
            sent = std::unexpected(not_in_transaction(send.command_name()));
        } else {
            sent = co_await run_from(send, 0);
        }
    } catch (...) {
        end(send, SendOutcome::failed);
        throw;
    }
    if (sent && send.result_address() == nullptr) {
        sent = std::unexpected(no_result(send.command_name()));
    }
    // A behaviour that refuses after all was done does not undo it.
    const bool is_done = send.result_address() != nullptr;
    if (!sent && is_done && sent.error().effect == Effect::none)
        sent.error().effect = Effect::applied;
    end(send, sent ? send.report_.outcome : outcome_of(sent.error().code));
    co_return sent;
}

Task<Sent> MediatorCore::run_from(Send& send, std::size_t position)
{
    const Next next{*this, send, position + 1};
    if (position < parts_.behaviours.size()) {
        if (position != idempotency_at_) return parts_.behaviours[position]->run(send, next);
        const CommandIdentity& identity = declared(send).identity;
        return identity.is_protected ? idempotency_.run(send, identity, next) : next();
    }
    const bool lacks_transaction =
        send.entry_.has_transaction && send.protection_.transaction == nullptr;
    // Comes back here with a transaction.
    if (lacks_transaction)
        return idempotency_.run_without_key(send, declared(send).identity, {*this, send, position});
    const bool may_be_repeated = idempotency_at_ + 1 < parts_.behaviours.size();
    if (send.entry_.has_transaction && may_be_repeated)
        return Task<Sent>::ready(run_in_savepoint(send));
    return send.run_handler();
}

// A behaviour inside the transaction may go on after an attempt that failed: its rows must not stay.
Sent MediatorCore::run_in_savepoint(Send& send)
{
    Sent sent;
    const Result<void> done = send.protection_.transaction->nested([&]() -> Result<void> {
        sent = wait(send.run_handler());
        if (sent) return {};
        return fail(Errc::invalid_argument, sent.error().detail);
    });
    if (sent && !done) return std::unexpected(from_engine(send.command_name(), done.error()));
    return sent;
}

void MediatorCore::end(Send& send, SendOutcome outcome)
{
    send.report_.outcome = outcome;
    if (send.options_.report != nullptr) *send.options_.report = send.report_;
    if (send.outer_ != nullptr) {
        // Whoever opened it may undo it, or run it again.
        send.outer_->after_commit([this, &entry = send.entry_, outcome] { count(entry, outcome); });
        return;
    }
    count(send.entry_, outcome);
    const bool is_hit = outcome == SendOutcome::hit || outcome == SendOutcome::hit_after_wait;
    if (parts_.sweeps_itself && !is_hit) sweep_now_and_then();
}

void MediatorCore::count(const CommandEntry& entry, SendOutcome outcome) noexcept
{
    parts_.commands[entry.number].ended->add(static_cast<std::size_t>(outcome));
}

void MediatorCore::sweep_now_and_then()
{
    const std::uint64_t claims = claims_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (claims % claims_per_sweep != 0) return;
    // In memory: it cannot fail, and is short.
    const auto swept = parts_.engine->sweep_once();
    static_cast<void>(swept);
}

std::vector<CommandStats> MediatorCore::stats() const
{
    const std::vector<OperationStats> operations = parts_.engine->stats();
    std::vector<CommandStats> all;
    for (const DeclaredCommand& command : parts_.commands) {
        CommandStats stats;
        stats.command = command.entry->name;
        for (std::size_t i = 0; i < stats.ended.size(); ++i)
            stats.ended[i] = command.ended->read(i);
        const auto found = std::ranges::find(operations, stats.command, &OperationStats::operation);
        if (found != operations.end()) {
            stats.takeovers = found->takeovers;
            stats.mismatches_ignored = found->mismatch_ignored;
            stats.unprotected = found->unprotected;
        }
        all.push_back(std::move(stats));
    }
    return all;
}

}  // namespace detail

Task<Sent> Next::operator()() const
{
    return core_->run_from(*send_, position_);
}

Send::Send(Mediator& mediator, const detail::CommandEntry& entry, SendOptions options) noexcept
    : mediator_(mediator),
      entry_(entry),
      options_(std::move(options)),
      tenant_id_(options_.tenant_id ? *options_.tenant_id : mediator.default_tenant())
{
    report_.outcome = SendOutcome::executed;
}

std::string_view Send::command_name() const noexcept
{
    return entry_.name;
}

}  // namespace umavez
