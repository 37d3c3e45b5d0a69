#include "mediator/mediator_core.hpp"
#include "mediator/metrics.hpp"
#include "mediator/send_errors.hpp"

#include <umavez/mediator.hpp>

#include <atomic>
#include <utility>

namespace umavez {

std::size_t detail::next_command_index() noexcept
{
    static std::atomic<std::size_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

Mediator::Mediator(std::unique_ptr<detail::MediatorCore> core) noexcept : core_(std::move(core)) {}
Mediator::~Mediator() = default;

std::vector<CommandStats> Mediator::stats() const
{
    return core_->stats();
}
std::string Mediator::metrics_text() const
{
    return detail::to_metrics_text(core_->stats());
}
Engine& Mediator::engine() noexcept
{
    return core_->engine();
}

const detail::CommandEntry* Mediator::find(std::size_t index) const noexcept
{
    return core_->find(index);
}
const TenantId& Mediator::default_tenant() const noexcept
{
    return core_->default_tenant();
}
Task<Sent> Mediator::run(Send& send)
{
    return core_->run(send);
}

void Mediator::end_call(const detail::CommandEntry& entry, SendOutcome outcome, SendReport* report)
{
    core_->count(entry, outcome);
    if (report != nullptr) *report = {.outcome = outcome, .key = {}};
}

SendError Mediator::cancelled(const detail::CommandEntry& entry, SendReport* report)
{
    end_call(entry, SendOutcome::cancelled, report);
    return detail::cancelled(entry.name);
}

SendError Mediator::no_handler(std::string_view command_name)
{
    return detail::send_error(
        SendErrc::no_handler,
        Effect::none,
        command_name,
        "no handler is registered; call builder.handle<…>(…)"
    );
}

}  // namespace umavez
