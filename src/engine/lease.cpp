#include <umavez/lease.hpp>

#include "engine/engine_impl.hpp"
#include "engine/finish_all.hpp"
#include "engine/lease_state.hpp"

#include <utility>

namespace umavez {

Lease::Lease(std::shared_ptr<LeaseState> state) noexcept : state_(std::move(state)) {}
Lease::Lease(Lease&&) noexcept = default;

Lease& Lease::operator=(Lease&& other) noexcept
{
    if (this != &other) {
        if (state_) state_->engine.drop(*state_);
        state_ = std::move(other.state_);
    }
    return *this;
}

Lease::~Lease()
{
    if (state_) state_->engine.drop(*state_);
}

const RecordId& Lease::id() const noexcept
{
    return state_->id;
}

const FencingToken& Lease::token() const noexcept
{
    return state_->token;
}

const std::string& Lease::effect_key() const noexcept
{
    if (state_->effect_key.empty()) state_->effect_key = effect_key_of(state_->id);
    return state_->effect_key;
}

const std::string& Lease::checkpoint() const noexcept
{
    return state_->record.checkpoint;
}

std::uint32_t Lease::attempts() const noexcept
{
    return state_->record.attempts;
}

std::stop_token Lease::lost() const noexcept
{
    return state_->engine.lost(*state_);
}

bool Lease::is_open() const noexcept
{
    const bool may_commit = state_->settled == Settled::in_transaction && !state_->instead;
    return may_commit || state_->settled == Settled::open || state_->settled == Settled::unsettled;
}

Task<Result<void>> Lease::async_save(std::string checkpoint)
{
    return state_->engine.save(state_, std::move(checkpoint));
}

Task<Result<void>> Lease::async_finish(Response response)
{
    return state_->engine.settle(state_, Settled::finished, std::move(response), {});
}

Task<Result<void>> Lease::async_fail(Response response)
{
    return state_->engine.settle(state_, Settled::failed, std::move(response), {});
}

Task<Result<void>> Lease::async_doubt(std::string reason)
{
    return state_->engine.settle(state_, Settled::doubted, std::nullopt, std::move(reason));
}

Task<Result<void>> Lease::async_untouched(std::optional<Response> response)
{
    return state_->engine.settle(state_, Settled::released, std::move(response), "untouched");
}

Result<void> Lease::finish(Transaction& transaction, Response response)
{
    std::vector<LeaseFinish> one;
    one.push_back({this, std::move(response)});
    return EngineImpl::finish_in(transaction, std::move(one));
}

Result<void> finish_all(Transaction& transaction, std::vector<LeaseFinish> all)
{
    if (all.empty()) return {};
    return EngineImpl::finish_in(transaction, std::move(all));
}

}  // namespace umavez
