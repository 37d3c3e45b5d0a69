// MediatorBuilder: from what was registered to an engine that knows every command.

#include "mediator/mediator_core.hpp"
#include "mediator/placed.hpp"

#include <umavez/mediator.hpp>

#include <algorithm>
#include <ranges>
#include <utility>

namespace umavez {

struct MediatorBuilder::Plan {
    bool is_used = false;
    MediatorOptions options;
    std::vector<std::shared_ptr<Behaviour>> behaviours;
    std::vector<std::pair<std::size_t, std::unique_ptr<detail::CommandEntry>>>
        entries;  // by command_index()

    // Where results are kept: exactly one.
    std::size_t stores = 0;
    bool in_memory = false;
    std::optional<std::string> redis_url;
    Database* database = nullptr;
    Engine* engine = nullptr;
    Guarantee outside = Guarantee::cached;

    Result<std::unique_ptr<Engine>> open_engine_of_its_own() const;
    void place_behaviours();
    Result<void> check_entries() const;
    Guarantee guarantee_of(const detail::CommandEntry& entry) const;
    bool is_protected(const detail::CommandEntry& entry) const;
    bool is_bare(const detail::CommandEntry& entry) const;
    OperationSpec to_operation(const detail::CommandEntry& entry) const;
    Result<void> declare_in(Engine& target, detail::MediatorCore::Parts& parts);
};

namespace {

using detail::CommandEntry;

// A transaction that is open must be met before it can be said that one is.
constexpr Duration shortest_wait = std::chrono::milliseconds{1};

template <typename Placed>
bool is(const std::shared_ptr<Behaviour>& behaviour)
{
    return dynamic_cast<const Placed*>(behaviour.get()) != nullptr;
}

std::unexpected<Error> misconfigured(std::string_view command, std::string_view sentence)
{
    return fail(
        Errc::misconfigured, "command " + std::string{command} + ": " + std::string{sentence}
    );
}

// Names in the cache begin with "idempotency:" unless the URL says otherwise.
std::string to_redis_url(std::string address)
{
    const bool is_url = address.contains("://") || address.starts_with("redis+unix:");
    if (!is_url) address = "redis://" + address;
    const std::size_t options = address.find('?');
    if (options == std::string::npos) return address + "?prefix=idempotency";
    const bool has_prefix = address.find("prefix=", options) != std::string::npos;
    return has_prefix ? address : address + "&prefix=idempotency";
}

}  // namespace

MediatorBuilder::MediatorBuilder(MediatorOptions options) : plan_(std::make_unique<Plan>())
{
    plan_->options = std::move(options);
}

MediatorBuilder::~MediatorBuilder() = default;

MediatorBuilder& MediatorBuilder::memory_cache()
{
    ++plan_->stores;
    plan_->in_memory = true;
    return *this;
}

MediatorBuilder& MediatorBuilder::redis_cache(std::string address)
{
    ++plan_->stores;
    plan_->redis_url = to_redis_url(std::move(address));
    return *this;
}

MediatorBuilder& MediatorBuilder::database(Database& database)
{
    ++plan_->stores;
    plan_->database = &database;
    plan_->outside = Guarantee::leased;
    return *this;
}

MediatorBuilder& MediatorBuilder::engine(Engine& engine, Guarantee outside)
{
    ++plan_->stores;
    plan_->engine = &engine;
    plan_->outside = outside;
    return *this;
}

MediatorBuilder& MediatorBuilder::use(std::shared_ptr<Behaviour> behaviour)
{
    plan_->behaviours.push_back(std::move(behaviour));
    return *this;
}

MediatorBuilder& MediatorBuilder::use(BehaviourFunction behaviour)
{
    if (!behaviour) return use(std::shared_ptr<Behaviour>{});
    return use(behaviour_from(std::move(behaviour)));
}

void MediatorBuilder::add(std::size_t index, std::unique_ptr<CommandEntry> entry)
{
    plan_->entries.emplace_back(index, std::move(entry));
}

Result<std::unique_ptr<Engine>> MediatorBuilder::Plan::open_engine_of_its_own() const
{
    EngineOptions settings{.audit = options.audit};
    if (database != nullptr) return open_engine(*database, settings);
    if (redis_url) {
        // Nothing is due, but the index of expired records wants sweeping, by whichever process comes first.
        settings.worker_period = std::chrono::seconds{10};
        return open_redis_engine(*redis_url, settings);
    }
    // Nothing is due, and sends sweep: no thread is needed.
    settings.worker_period = std::nullopt;
    return open_memory_engine(settings);
}

void MediatorBuilder::Plan::place_behaviours()
{
    const bool has_validation = std::ranges::any_of(behaviours, is<ValidationBehaviour>);
    if (options.validation && !has_validation) {
        const auto place = std::ranges::find_if(behaviours, is<IdempotencyPlace>);
        behaviours.insert(place, umavez::validation());
    }
    const bool has_idempotency = std::ranges::any_of(behaviours, is<IdempotencyPlace>);
    const bool is_wanted = std::ranges::any_of(entries, [this](const auto& indexed) {
        return is_protected(*indexed.second);
    });
    if (is_wanted && !has_idempotency) behaviours.push_back(umavez::idempotency());
}

Guarantee MediatorBuilder::Plan::guarantee_of(const CommandEntry& entry) const
{
    return entry.has_transaction ? Guarantee::atomic : outside;
}

Result<void> MediatorBuilder::Plan::check_entries() const
{
    if (stores != 1) {
        return fail(
            Errc::misconfigured,
            "choose one place for results: memory_cache(), redis_cache(…), database(…) or engine(…)"
        );
    }
    if (std::ranges::find(behaviours, nullptr) != behaviours.end()) {
        return fail(Errc::misconfigured, "a behaviour is null");
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto& [index, entry] = entries[i];
        for (const auto& [other_index, other] : entries | std::views::take(i)) {
            if (index == other_index) {
                return misconfigured(entry->name, "two handlers are registered; keep one");
            }
            if (entry->name == other->name) {
                return misconfigured(
                    entry->name,
                    "two commands have this name; give one another command_name "
                    "(static constexpr std::string_view command_name)"
                );
            }
        }
        if (!entry->has_handler) return misconfigured(entry->name, "its handler is empty");
        const bool wants_key =
            entry->options.idempotency.value_or(false) || entry->options.duration;
        if (wants_key && !entry->is_idempotent) {
            return misconfigured(
                entry->name,
                "its options ask for idempotency; give it an idempotency_key (public, and const if "
                "it is a function)"
            );
        }
        const bool has_database = database != nullptr || engine != nullptr;
        if (entry->has_transaction && !has_database) {
            return misconfigured(
                entry->name,
                "its handler takes a Transaction, which a cache has not; open with database(…)"
            );
        }
    }
    return {};
}

OperationSpec MediatorBuilder::Plan::to_operation(const CommandEntry& entry) const
{
    const CommandOptions& wanted = entry.options;
    const Policy usual;
    OperationSpec operation;
    operation.name = entry.name;
    operation.reconcile = wanted.reconcile;
    operation.policy = {
        .guarantee = guarantee_of(entry),
        .lease = wanted.lease.value_or(options.lease),
        .run_limit = wanted.run_limit.value_or(usual.run_limit),
        .settle = wanted.settle,
        .retention = wanted.duration.value_or(options.duration),
        .on_mismatch = wanted.on_mismatch,
        .on_duplicate = wanted.on_duplicate,
        .duplicate_wait = wanted.on_duplicate == OnDuplicate::wait ? wanted.wait : shortest_wait,
        .on_abandoned = wanted.on_abandoned,
        .effect = wanted.effect,
        .on_store_error = wanted.on_store_error,
        .response_bytes_max = wanted.result_bytes_max,
        .atomic_run_limit = wanted.run_limit.value_or(usual.atomic_run_limit),
    };
    return operation;
}

bool MediatorBuilder::Plan::is_protected(const CommandEntry& entry) const
{
    return entry.is_idempotent && entry.options.idempotency.value_or(options.idempotency);
}

bool MediatorBuilder::Plan::is_bare(const CommandEntry& entry) const
{
    const auto concerns = [&](const std::shared_ptr<Behaviour>& behaviour) {
        if (is<IdempotencyPlace>(behaviour)) return is_protected(entry);
        return !is<ValidationBehaviour>(behaviour) || entry.has_validation;
    };
    return entry.is_plain && std::ranges::none_of(behaviours, concerns);
}

Result<void> MediatorBuilder::Plan::declare_in(Engine& target, detail::MediatorCore::Parts& parts)
{
    for (auto& [index, entry] : entries) {
        auto declared = target.declare(to_operation(*entry));
        if (!declared) return declared;
        detail::CommandIdentity identity{
            .operation = *Operation::parse(entry->name),
            .target = make_target({"command", entry->name}),
            .guarantee = guarantee_of(*entry),
            .is_protected = is_protected(*entry),
        };
        entry->number = parts.commands.size();
        entry->is_bare = is_bare(*entry);
        auto& numbers = parts.number_by_index;
        if (numbers.size() <= index) numbers.resize(index + 1, SIZE_MAX);
        numbers[index] = entry->number;
        parts.commands.push_back(
            {std::move(entry), std::move(identity), std::make_unique<detail::SendCounters>()}
        );
    }
    return target.start();
}

Result<std::unique_ptr<Mediator>> MediatorBuilder::open()
{
    if (plan_->is_used) {
        return fail(Errc::invalid_argument, "open() was called before; make another builder");
    }
    const std::unique_ptr<Plan> plan = std::exchange(plan_, std::make_unique<Plan>());
    plan_->is_used = true;
    if (auto checked = plan->check_entries(); !checked) return std::unexpected(checked.error());
    auto tenant_id = TenantId::parse(plan->options.tenant);
    if (!tenant_id) return std::unexpected(tenant_id.error());
    plan->place_behaviours();

    std::unique_ptr<Engine> own_engine;
    if (plan->engine == nullptr) {
        auto opened = plan->open_engine_of_its_own();
        if (!opened) return std::unexpected(opened.error());
        own_engine = *std::move(opened);
    }
    Engine& engine = own_engine ? *own_engine : *plan->engine;
    auto key_generator = plan->options.key_generator;
    if (!key_generator) key_generator = default_key_generator();
    detail::MediatorCore::Parts parts{
        .own_engine = std::move(own_engine),
        .engine = &engine,
        .tenant_id = *std::move(tenant_id),
        .key_generator = std::move(key_generator),
        .behaviours = plan->behaviours,
        .commands = {},
        .number_by_index = {},
        .sweeps_itself = plan->in_memory,
    };
    if (auto done = plan->declare_in(engine, parts); !done) return std::unexpected(done.error());
    return std::make_unique<Mediator>(std::make_unique<detail::MediatorCore>(std::move(parts)));
}

}  // namespace umavez
