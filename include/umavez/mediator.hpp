#pragma once

// Mediator: typed commands whose handlers run once for each key.
//
//     umavez::MediatorBuilder builder;
//     builder.memory_cache();                 // or redis_cache("localhost:6379"), or database(db)
//     builder.use(umavez::logging(sink));
//     builder.handle<CreateOrder>(create_order);
//     auto mediator = builder.open();
//
//     auto order = (*mediator)->send(CreateOrder{…});   // std::expected<Order, SendError>
//
// The claim of a key is atomic: of many sends at once, in this process or (Redis, PostgreSQL) in
// several, one runs the handler and the others get its result. The guarantee comes with the store:
// `cached` in memory and Redis; on a database `atomic` for handlers that take a Transaction,
// `leased` for the others (docs/concepts.md).
//
// Opt-in: this header needs Boost (Describe, Mp11, PFR). umavez/mediator/asio.hpp adds sending
// inside Asio.

#include <umavez/engine.hpp>
#include <umavez/mediator/behaviour.hpp>
#include <umavez/mediator/command.hpp>
#include <umavez/mediator/handler.hpp>
#include <umavez/mediator/json_codec.hpp>
#include <umavez/mediator/key_generator.hpp>
#include <umavez/mediator/send.hpp>
#include <umavez/mediator/stats.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace umavez {

struct MediatorOptions {
    bool idempotency = true;  // the behaviour is added, innermost, unless use() placed it
    bool validation = true;   // likewise, before idempotency
    Duration duration = std::chrono::hours{24};
    Duration lease = std::chrono::seconds{30};
    std::string tenant = "default";
    std::shared_ptr<const KeyGenerator> key_generator;  // null: default_key_generator()
    bool audit = true;                                  // every decision, for explain
};

template <Command C>
using SendResult = std::expected<typename C::Result, SendError>;

namespace detail {

std::size_t next_command_index() noexcept;

// A small number for each type of command in this program.
template <Command C>
std::size_t command_index()
{
    static const std::size_t index = next_command_index();
    return index;
}

}  // namespace detail

// Thread-safe. Outlives its sends and tasks; is outlived by its database. Opened by
// MediatorBuilder.
class Mediator {
public:
    explicit Mediator(std::unique_ptr<detail::MediatorCore> core) noexcept;
    ~Mediator();
    Mediator(const Mediator&) = delete;
    Mediator& operator=(const Mediator&) = delete;

    // Runs the pipeline and blocks until there is an answer. An exception of the handler comes out
    // unchanged.
    template <Command C>
    [[nodiscard]] SendResult<C> send(const C& command, SendOptions options = {})
    {
        const auto* const entry = find<C>();
        if (entry == nullptr) return no_handler<C>(options);
        if (entry->is_bare) return call(*entry, command, options);
        detail::TypedSend<C> sending{*this, *entry, command, std::move(options)};
        return sending.take(wait(run(sending)));
    }

    // The same without blocking: the handler runs where the task does.
    template <Command C>
    Task<SendResult<C>> async_send(C command, SendOptions options = {})
    {
        const auto* const entry = find<C>();
        if (entry == nullptr) co_return no_handler<C>(options);
        detail::TypedSend<C> sending{*this, *entry, command, std::move(options)};
        co_return sending.take(co_await run(sending));
    }

    // Inside a transaction of the mediator's database: claim, handler and result are part of it and
    // are undone with it; it is counted when that commits. Only for handlers that take a Transaction.
    template <Command C>
    [[nodiscard]] SendResult<C> send_in(
        Transaction& outer, const C& command, SendOptions options = {}
    )
    {
        const auto* const entry = find<C>();
        if (entry == nullptr) return no_handler<C>(options);
        detail::TypedSend<C> sending{*this, *entry, command, std::move(options)};
        sending.run_inside(outer);
        return sending.take(wait(run(sending)));
    }

    std::vector<CommandStats> stats() const;

    // umavez_mediator_total{command,outcome} and its companions, as Prometheus reads them.
    std::string metrics_text() const;

    // For operators: records, explain, release, resolve. The operation of a record is the command's
    // name.
    Engine& engine() noexcept;

    const TenantId& default_tenant() const noexcept;

private:
    template <Command C>
    const detail::TypedEntry<C>* find() const noexcept
    {
        return static_cast<const detail::TypedEntry<C>*>(find(detail::command_index<C>()));
    }

    // Nothing stands between the sender and the handler.
    template <Command C>
    SendResult<C> call(
        const detail::TypedEntry<C>& entry, const C& command, const SendOptions& options
    )
    {
        bool is_untouched = false;
        const TenantId& tenant_id = options.tenant_id ? *options.tenant_id : default_tenant();
        HandlerContext context{*this, tenant_id, options.stop, nullptr, is_untouched};
        try {
            if (options.stop.stop_requested()) {
                return std::unexpected(cancelled(entry, options.report));
            }
            SendResult<C> result{entry.plain(command, context)};
            end_call(entry, SendOutcome::executed, options.report);
            return result;
        } catch (...) {
            end_call(entry, SendOutcome::failed, options.report);
            throw;
        }
    }

    template <Command C>
    static SendResult<C> no_handler(const SendOptions& options)
    {
        if (options.report != nullptr) *options.report = {};
        return std::unexpected(no_handler(command_name_of<C>()));
    }

    const detail::CommandEntry* find(std::size_t index) const noexcept;
    Task<Sent> run(Send& send);
    void end_call(const detail::CommandEntry& entry, SendOutcome outcome, SendReport* report);
    SendError cancelled(const detail::CommandEntry& entry, SendReport* report);
    static SendError no_handler(std::string_view command_name);

    std::unique_ptr<detail::MediatorCore> core_;
};

// Registers handlers and behaviours, then opens. Confined to its thread; used once.
class MediatorBuilder {
public:
    explicit MediatorBuilder(MediatorOptions options = {});
    ~MediatorBuilder();

    // Where results are kept; one of these. Memory: this process alone, until it ends.
    MediatorBuilder& memory_cache();
    // "localhost:6379", or a URL with options (docs/operating/redis.md): all processes that use the
    // server.
    MediatorBuilder& redis_cache(std::string address);
    MediatorBuilder& database(Database& database);
    // An engine that was not started yet: open() declares the commands in it and starts it.
    // `outside`: the guarantee of handlers that take no Transaction.
    MediatorBuilder& engine(Engine& engine, Guarantee outside);

    template <Command C, typename Handler>
    MediatorBuilder& handle(Handler handler, CommandOptions options = {})
    {
        static_cast<void>(detail::CheckedCommand<C>{});
        if constexpr (IdempotentCommand<C>) detail::check_conversions<C>();
        auto entry = std::make_unique<detail::TypedEntry<C>>();
        detail::set_handler<C>(*entry, std::move(handler));
        entry->options = std::move(options);
        add(detail::command_index<C>(), std::move(entry));
        return *this;
    }

    MediatorBuilder& use(std::shared_ptr<Behaviour> behaviour);
    MediatorBuilder& use(BehaviourFunction behaviour);

    // Refuses two handlers of a command, two commands of a name, a handler with a transaction where
    // there is no database, and every setting that the store cannot keep; the sentence names it and
    // the cure.
    Result<std::unique_ptr<Mediator>> open();

private:
    void add(std::size_t index, std::unique_ptr<detail::CommandEntry> entry);

    struct Plan;
    std::unique_ptr<Plan> plan_;
};

}  // namespace umavez
