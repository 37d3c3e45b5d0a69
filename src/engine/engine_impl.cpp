#include "engine/engine_impl.hpp"

#include "base/limits.hpp"
#include "core/validate.hpp"
#include "database/lane_thread.hpp"
#include "engine/refusals.hpp"
#include "engine/timer_thread.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace umavez {
namespace {

double to_seconds(Duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

Result<void> check_span(std::string_view name, Duration duration)
{
    if (duration >= Duration{0} && duration <= limits::duration_max) return {};
    return fail(
        Errc::misconfigured,
        fmt::format("{} is {} s; it must be between 0 and 100 years", name, to_seconds(duration))
    );
}

Result<void> check_options(const EngineOptions& options)
{
    if (auto checked = check_span("worker_period", options.worker_period.value_or(Duration{0})); !checked) {
        return checked;
    }
    if (options.worker_period && *options.worker_period <= Duration{0}) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "worker_period is {} s; it must be greater than 0, or absent for no worker",
                to_seconds(*options.worker_period)
            )
        );
    }
    if (options.sweep_batch == 0 || options.sweep_batch > limits::sweep_batch_max) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "sweep_batch is {}; it must be between 1 and {}",
                options.sweep_batch,
                limits::sweep_batch_max
            )
        );
    }
    if (auto checked = check_span("audit_retention", options.audit_retention); !checked) return checked;
    return check_span("store_patience", options.store_patience);
}

}  // namespace

std::unique_ptr<Engine> make_engine(Store& store, EngineOptions options)
{
    return std::make_unique<EngineImpl>(nullptr, store, nullptr, options);
}

std::unique_ptr<Engine> make_engine(TransactionalStore& store, EngineOptions options)
{
    return std::make_unique<EngineImpl>(nullptr, store, &store, options);
}

std::unique_ptr<Engine> make_engine(std::unique_ptr<Store> store, EngineOptions options)
{
    Store& lent = *store;
    return std::make_unique<EngineImpl>(std::move(store), lent, nullptr, options);
}

std::unique_ptr<Engine> make_engine(std::unique_ptr<TransactionalStore> store, EngineOptions options)
{
    TransactionalStore& lent = *store;
    return std::make_unique<EngineImpl>(std::move(store), lent, &lent, options);
}

EngineImpl::EngineImpl(
    std::unique_ptr<Store> owned, Store& store, TransactionalStore* transactional, EngineOptions options
)
    : own_store_(std::move(owned)),
      store_(store),
      transactional_(transactional),
      options_(options),
      clock_(options_.clock != nullptr ? *options_.clock : system_clock()),
      random_(options_.random != nullptr ? *options_.random : system_random()),
      own_timers_(options_.timers != nullptr ? nullptr : std::make_unique<TimerThread>(clock_)),
      timers_(options_.timers != nullptr ? *options_.timers : *own_timers_),
      flights_(timers_),
      keeper_(store, timers_, clock_)
{
}

EngineImpl::~EngineImpl()
{
    if (is_in_child()) {
        // Neither has a thread here, and their locks may be held by nobody.
        static_cast<void>(own_timers_.release());
        static_cast<void>(own_store_.release());
        return;
    }
    stop();
    // Joined before the keeper goes: its last heartbeat ends on this thread.
    own_timers_.reset();
}

Result<void> EngineImpl::declare(OperationSpec operation)
{
    if (is_started_) {
        return fail(
            Errc::invalid_argument,
            "operation \"" + operation.name + "\" was declared after start(); declare it before"
        );
    }
    return operations_.add(std::move(operation));
}

Result<void> EngineImpl::start()
{
    if (is_started_) return fail(Errc::invalid_argument, "the engine was started before");
    if (auto checked = check_options(options_); !checked) return checked;
    const StoreTraits& traits = store_.traits();
    const Offered offered{
        .store_name = traits.name,
        .atomic = transactional_ != nullptr,
        .leased = traits.durable,
        .cached = traits.cache,
    };
    std::optional<Duration> shortest;
    for (const Declared* operation : operations_.all()) {
        const Registered registered{
            .has_current = static_cast<bool>(operation->spec.current),
            .has_load = static_cast<bool>(operation->spec.load),
            .has_work = static_cast<bool>(operation->spec.work),
        };
        const Policy& policy = operation->policy;
        auto checked = validate(operation->name.text(), policy, offered, registered);
        if (!checked) return checked;
        std::ranges::move(umavez::warnings(operation->name.text(), policy), std::back_inserter(warnings_));
        if (policy.guarantee != Guarantee::atomic) {
            shortest = std::min(shortest.value_or(policy.lease), policy.lease);
        }
    }
    is_started_ = true;
    if (shortest) keeper_.start(*shortest);
    if (options_.worker_period && own_timers_) *worker_ = std::thread{[this] { run_worker(); }};
    return {};
}

void EngineImpl::stop()
{
    if (is_in_child()) return;
    {
        const std::lock_guard guard{worker_mutex_};
        is_stopped_ = true;
    }
    worker_changed_->notify_all();
    keeper_.stop();  // first: a handler of the worker must see lost()
    if (worker_->joinable()) worker_->join();
    if (own_timers_) keeper_.drain();
}

Result<Declared*> EngineImpl::enter(const Request& request) const
{
    if (on_lane_thread()) return fail_on_lane_thread();
    return find_operation(request);
}

Result<Declared*> EngineImpl::enter_to_claim(const Request& request) const
{
    if (is_stopped_.load(std::memory_order_relaxed)) return fail_stopped();
    return enter(request);
}

Result<Declared*> EngineImpl::enter_in_transaction(const Request& request) const
{
    if (is_stopped_.load(std::memory_order_relaxed)) return fail_stopped();
    return find_operation(request);
}

Result<Declared*> EngineImpl::find_operation(const Request& request) const
{
    if (is_in_child()) return fail_in_child();
    if (!is_started_) return fail(Errc::invalid_argument, "the engine was not started; call start()");
    return operations_.find(request.operation);
}

Execution EngineImpl::make_execution()
{
    Execution execution;
    for (std::size_t i = 0; i < execution.size(); i += sizeof(std::uint64_t)) {
        const std::uint64_t bits = random_.next();
        std::memcpy(&execution[i], &bits, sizeof bits);
    }
    return execution;
}

double EngineImpl::random_share()
{
    return static_cast<double>(random_.next() >> 11) * 0x1.0p-53;
}

void EngineImpl::note(
    const RecordId& id, AuditEvent event, std::int64_t epoch, std::string detail
)
{
    if (options_.audit) store_.note(id, make_note(event, std::move(detail), epoch));
}

std::optional<AuditNote> EngineImpl::audit(AuditEvent event, std::string detail) const
{
    if (!options_.audit) return std::nullopt;
    return make_note(event, std::move(detail));
}

}  // namespace umavez
