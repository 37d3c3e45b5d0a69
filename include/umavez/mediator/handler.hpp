#pragma once

// Handlers: the functions that do what a command says, and how the mediator calls them.
//
//     Order create_order(const CreateOrder& command);
//     Task<Receipt> charge(const ProcessPayment& command, HandlerContext& context);
//     Result<Order> create_order(const CreateOrder& command, Transaction& transaction);
//
// The second is awaitable, the third atomic: nothing but SQL.
// Called from all sending threads at a time. One that takes a Transaction needs a database, may run
// more than once (one run commits) and may do nothing but SQL.

#include <umavez/lease.hpp>
#include <umavez/mediator/command.hpp>
#include <umavez/mediator/json_codec.hpp>
#include <umavez/mediator/send.hpp>
#include <umavez/operation.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace umavez {

class Mediator;

// What a handler may ask. Valid during its call.
class HandlerContext {
public:
    HandlerContext(
        Mediator& mediator,
        const TenantId& tenant_id,
        std::stop_token stop,
        Lease* lease,
        bool& is_untouched
    ) noexcept
        : mediator_(mediator),
          tenant_id_(tenant_id),
          stop_(std::move(stop)),
          lease_(lease),
          is_untouched_(is_untouched)
    {
    }
    HandlerContext(const HandlerContext&) = delete;
    HandlerContext& operator=(const HandlerContext&) = delete;

    const TenantId& tenant_id() const noexcept { return tenant_id_; }

    // For commands that this one sends; each has a key of its own.
    Mediator& mediator() noexcept { return mediator_; }

    // The sender wants no answer any more, or the lease was lost and somebody else may run the same
    // key. Callbacks may come on any thread.
    std::stop_token stop();

    // Hand this to the other side, so that it can recognise a repetition. Empty: the command has no
    // key.
    std::string_view effect_key() const noexcept;

    // 1 in the first attempt. More: an earlier one ended without a result.
    std::uint32_t attempts() const noexcept;

    // No effect happened: whatever this handler returns or throws is not kept and the key is free.
    void untouched() noexcept { is_untouched_ = true; }

private:
    struct Forward {
        std::stop_source& to;
        void operator()() const { to.request_stop(); }
    };

    Mediator& mediator_;
    const TenantId& tenant_id_;
    std::stop_token stop_;
    Lease* lease_;
    bool& is_untouched_;
    std::stop_source either_{std::nostopstate};
    std::optional<std::stop_callback<Forward>> on_stop_;
    std::optional<std::stop_callback<Forward>> on_lost_;
};

// How a command is sent. Nullopt: as MediatorOptions say.
struct CommandOptions {
    std::optional<bool> idempotency;
    std::optional<Duration> duration;  // how long a result is kept and answers for its key
    std::optional<Duration> lease;  // how long a dead process blocks its key; heartbeats prolong it

    // The same key with another content: the first one's result, audited; or a SendError.
    OnMismatch on_mismatch = OnMismatch::original;

    // The same key while it runs: wait so long for its result, or a SendError at once.
    OnDuplicate on_duplicate = OnDuplicate::wait;
    Duration wait = std::chrono::seconds{10};

    std::optional<Duration> run_limit;  // of one run [10 min; 2 s in a transaction]
    std::size_t result_bytes_max = 1024 * 1024;
    OnStoreError on_store_error = OnStoreError::closed;

    // On a database, for handlers without a transaction: what becomes of a run whose process died.
    OnAbandoned on_abandoned = OnAbandoned::automatic;
    RepeatedEffect effect = RepeatedEffect::harmful;
    Reconciler reconcile;
    Duration settle = std::chrono::seconds{15};  // before the first question to the reconciler
};

// For reconcilers of commands: it happened, and this was the result.
template <typename R>
Reconciliation happened(const R& result)
{
    auto json = to_json(result);
    if (!json)
        return StillUnknown{
            .retry_after = {}, .detail = "the result has no JSON form: " + json.error()
        };
    Response response;
    response.body = *std::move(json);
    return Happened{std::move(response)};
}

namespace detail {

// What is registered for a command, without its type.
struct CommandEntry {
    explicit CommandEntry(std::string_view command_name) : name(command_name) {}
    virtual ~CommandEntry() = default;

    std::string name;
    CommandOptions options;
    bool is_idempotent = false;    // the type is; options may still say no
    bool has_transaction = false;  // the handler takes one
    bool has_validation = false;
    bool has_handler = false;
    bool is_plain = false;  // a function that gives the Result itself

    // Known when the mediator opens.
    std::size_t number = 0;  // among the mediator's commands
    bool is_bare = false;    // a plain function, and no behaviour concerns it
};

template <Command C>
struct TypedEntry final : CommandEntry {
    using R = typename C::Result;

    TypedEntry() : CommandEntry(command_name_of<C>())
    {
        is_idempotent = IdempotentCommand<C>;
        has_validation = HasValidation<C>;
    }

    // One is set; all empty: the handler was.
    mutable std::move_only_function<R(const C&, HandlerContext&)> plain;
    mutable std::move_only_function<Task<R>(const C&, HandlerContext&)> awaitable;
    mutable std::move_only_function<Result<R>(const C&, Transaction&)> atomic;
};

template <Command C>
class TypedSend final : public Send {
public:
    using R = typename C::Result;

    TypedSend(Mediator& mediator, const TypedEntry<C>& entry, const C& command, SendOptions options)
        : Send(mediator, entry, std::move(options)), typed_(entry), command_(command)
    {
    }

    void run_inside(Transaction& outer) noexcept { outer_ = &outer; }

    // What the sender gets, once the pipeline has ended like this.
    std::expected<R, SendError> take(Sent sent)
    {
        if (!sent) return std::unexpected(std::move(sent).error());
        return std::move(*result_);
    }

    std::string content() const override
    {
        JsonText out;
        return write_content(out) ? std::string{} : out.take();
    }

private:
    const void* command_mark() const noexcept override { return &type_mark<C>; }
    const void* command_address() const noexcept override { return &command_; }
    const void* result_mark() const noexcept override { return &type_mark<R>; }
    const void* result_address() const noexcept override { return result_ ? &*result_ : nullptr; }
    void set_result(void* result) override { result_.emplace(std::move(*static_cast<R*>(result))); }
    void reset_result() noexcept override { result_.reset(); }

    std::optional<std::string> given_key() const override
    {
        if constexpr (IdempotentCommand<C>) return idempotency_key_of(command_);
        return std::nullopt;
    }
    JsonFailure write_content([[maybe_unused]] JsonText& out) const override
    {
        if constexpr (DescribedStruct<C>) {
            return write_members(command_, out, key_member);
        } else if constexpr (IdempotentCommand<C>) {
            static_cast<void>(DoesNotConvertToJson<C>{});
        }
        return JsonProblem{"the command is not described"};
    }
    JsonFailure write_result([[maybe_unused]] JsonText& out) const override
    {
        if constexpr (IdempotentCommand<C>) return write_json(*result_, out);
        return JsonProblem{"the command has no key"};
    }
    JsonFailure read_result([[maybe_unused]] std::string_view json) override
    {
        if constexpr (IdempotentCommand<C>) {
            auto read = from_json<R>(json);
            if (!read) return JsonProblem{std::move(read.error())};
            result_ = *std::move(read);
            return std::nullopt;
        }
        return JsonProblem{"the command has no key"};
    }
    std::vector<Violation> find_violations() const override
    {
        if constexpr (HasValidation<C>) return command_.validate();
        return {};
    }

    Task<Sent> run_handler() override
    {
        begin_attempt();
        if (typed_.awaitable) return await_handler();
        if (typed_.atomic) return Task<Sent>::ready(call_in_transaction());
        HandlerContext context = make_context();
        result_.emplace(typed_.plain(command_, context));
        return Task<Sent>::ready(Sent{});
    }
    Task<Sent> await_handler()
    {
        HandlerContext context = make_context();
        result_.emplace(co_await typed_.awaitable(command_, context));
        co_return Sent{};
    }
    HandlerContext make_context()
    {
        return {mediator_, tenant_id_, options_.stop, protection_.lease, protection_.is_untouched};
    }
    Sent call_in_transaction()
    {
        Result<R> result = typed_.atomic(command_, *protection_.transaction);
        if (!result) {
            SendError error;
            error.code = SendErrc::failed;
            error.detail = result.error().detail;
            error.cause = std::move(result).error();
            return std::unexpected(std::move(error));
        }
        result_.emplace(*std::move(result));
        return {};
    }

    const TypedEntry<C>& typed_;
    const C& command_;
    std::optional<R> result_;
};

template <Command C, typename Handler>
struct HandlerDoesNotFit {
    static_assert(
        sizeof(C) == 0,
        "umavez: a handler is called with (const Command&), (const Command&, HandlerContext&) or "
        "(const Command&, Transaction&) and returns Command::Result, Task<Result> or, with a "
        "Transaction, umavez::Result<Result>."
    );
};
template <Command C, typename Handler>
struct HandlerFitsTwice {
    static_assert(
        sizeof(C) == 0,
        "umavez: this handler takes a HandlerContext as well as a Transaction; name the one it "
        "wants."
    );
};

// A type without a JSON form is told where its command is registered, not where it is first sent.
template <IdempotentCommand C>
void check_conversions()
{
    using R = typename C::Result;
    static_cast<void>(static_cast<JsonFailure (*)(const R&, JsonText&)>(&write_json<R>));
    static_cast<void>(static_cast<JsonFailure (*)(const JsonView&, R&)>(&read_json<R>));
    if constexpr (DescribedStruct<C>) {
        static_cast<void>(static_cast<JsonFailure (*)(const C&, JsonText&)>(&write_json<C>));
    } else {
        static_cast<void>(DoesNotConvertToJson<C>{});
    }
}

// Puts `handler` where it belongs by what it takes and gives.
template <Command C, typename Handler>
void set_handler(TypedEntry<C>& entry, Handler handler)
{
    using R = typename C::Result;
    using Awaited = Task<R>;
    if constexpr (requires { handler == nullptr; }) {
        if (handler == nullptr) return;
    }
    constexpr bool takes_context = std::is_invocable_v<Handler&, const C&, HandlerContext&>;
    constexpr bool takes_transaction = std::is_invocable_v<Handler&, const C&, Transaction&>;
    if constexpr (takes_context && takes_transaction) {
        static_cast<void>(HandlerFitsTwice<C, Handler>{});
    } else if constexpr (takes_transaction) {
        using Returned = std::invoke_result_t<Handler&, const C&, Transaction&>;
        if constexpr (std::is_same_v<Returned, R> || std::is_same_v<Returned, Result<R>>) {
            entry.has_transaction = true;
            entry.atomic = std::move(handler);
        } else {
            static_cast<void>(HandlerDoesNotFit<C, Handler>{});
        }
    } else if constexpr (std::is_invocable_r_v<Awaited, Handler&, const C&, HandlerContext&>) {
        entry.awaitable = std::move(handler);
    } else if constexpr (std::is_invocable_r_v<Awaited, Handler&, const C&>) {
        entry.awaitable = [call = std::move(handler)](const C& command, HandlerContext&) mutable {
            return call(command);
        };
    } else if constexpr (std::is_invocable_r_v<R, Handler&, const C&, HandlerContext&>) {
        entry.plain = std::move(handler);
    } else if constexpr (std::is_invocable_r_v<R, Handler&, const C&>) {
        entry.plain = [call = std::move(handler)](const C& command, HandlerContext&) mutable -> R {
            return call(command);
        };
    } else {
        static_cast<void>(HandlerDoesNotFit<C, Handler>{});
    }
    entry.is_plain = static_cast<bool>(entry.plain);
    entry.has_handler = entry.plain || entry.awaitable || entry.atomic;
}

}  // namespace detail
}  // namespace umavez
