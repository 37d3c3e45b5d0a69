#pragma once

// Send: one command on its way through the pipeline, and what its sender is told.
//
// Outcomes of sending are values: either the command's Result, or a SendError that says what
// happened to the effect. An exception of a handler is never turned into one: it reaches the sender
// unchanged.

#include <umavez/mediator/json_text.hpp>
#include <umavez/names.hpp>
#include <umavez/result.hpp>
#include <umavez/task.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez {

class Lease;
class Mediator;
class Transaction;

enum class SendErrc : std::uint8_t {
    no_handler = 1,  // Nobody registered one.
    invalid,         // The command's own validation refused it; see `violations`.
    invalid_key,     // The key is empty, too long or no text.
    cancelled,       // The sender's stop came before the handler began.
    in_progress,     // Somebody else runs this key; come back after `retry_after`.
    mismatch,        // The key was used for another content, and the command says `reject`.
    in_doubt,  // Nobody knows whether the effect happened; an operator or the reconciler will tell.
    unavailable,         // The store could not be reached.
    failed,              // The handler, or an operator in its name, said that it failed.
    unwritable_command,  // The command cannot be written as JSON; `detail` names type and member.
    unwritable_result,   // The handler's result cannot be written as JSON, so it was not kept.
    unreadable_result,  // It ran before; the result that was kept is not one of this type any more.
    omitted_result,     // It ran before; the result was too large to be kept.
    no_result,          // A behaviour ended the pipeline without an answer.
    misuse,             // The call is not allowed here; `detail` says what is.
};

std::string_view to_text(SendErrc code) noexcept;

struct Violation {
    std::string field;
    std::string problem;
    friend bool operator==(const Violation&, const Violation&) = default;
};

struct SendError {
    SendErrc code = SendErrc::misuse;
    Effect effect = Effect::none;  // of the command. Unknown is never failed.
    std::string detail;
    std::optional<Duration> retry_after;
    std::vector<Violation> violations;
    std::optional<Error> cause;  // what a handler in a transaction returned
};

// How a send ended, for logs and metrics.
enum class SendOutcome : std::uint8_t {
    executed,
    hit,             // the result was there
    hit_after_wait,  // it was being made
    conflict,        // in progress elsewhere, longer than the sender would wait
    mismatch,
    in_doubt,
    unavailable,
    failed,   // the handler threw or said so
    refused,  // validation, a behaviour, a bad key
    cancelled,
    unreadable,  // it ran, but its result cannot be given back
    count_,
};

std::string_view to_text(SendOutcome outcome) noexcept;

struct SendReport {
    SendOutcome outcome = SendOutcome::refused;
    std::string key;  // given or made; empty: the command has none
    bool unprotected =
        false;  // it ran without a record: `on_store_error = open` and the store was down
};

struct SendOptions {
    std::optional<TenantId> tenant_id;  // nullopt: MediatorOptions::tenant
    std::stop_token stop;
    std::optional<Duration>
        wait;  // for somebody else's execution; nullopt: as the command's options say
    SendReport* report = nullptr;  // filled in before the send ends
};

// There is a result, or this is why not.
using Sent = std::expected<void, SendError>;

namespace detail {

struct CommandEntry;
class Idempotency;
class MediatorCore;

// One address for each type.
template <typename T>
inline constexpr char type_mark = 0;

}  // namespace detail

// What behaviours see of a command. Lives as long as the send. Confined to the task that sends.
class Send {
public:
    std::string_view command_name() const noexcept;
    const TenantId& tenant_id() const noexcept { return tenant_id_; }
    const std::stop_token& stop() const noexcept { return options_.stop; }

    // The command, where it is of this type; else null.
    template <typename C>
    const C* command() const noexcept
    {
        const bool is_it = command_mark() == &detail::type_mark<C>;
        return is_it ? static_cast<const C*>(command_address()) : nullptr;
    }

    // The result, where there is one, and of this type; else null.
    template <typename R>
    const R* result() const noexcept
    {
        const bool is_it = result_mark() == &detail::type_mark<R>;
        return is_it ? static_cast<const R*>(result_address()) : nullptr;
    }

    // Sets the result, for a behaviour that answers without what follows. False: the command's
    // Result is another type, and nothing was set.
    template <typename R>
    [[nodiscard]] bool answer(R result)
    {
        if (result_mark() != &detail::type_mark<R>) return false;
        set_result(&result);
        return true;
    }

    // The command's content as JSON, without its key; empty where it has no JSON form.
    virtual std::string content() const = 0;

    // After next() has ended: how it went.
    const SendReport& report() const noexcept { return report_; }

protected:
    Send(Mediator& mediator, const detail::CommandEntry& entry, SendOptions options) noexcept;
    ~Send() = default;
    Send(const Send&) = delete;
    Send& operator=(const Send&) = delete;

    virtual const void* command_mark() const noexcept = 0;
    virtual const void* command_address() const noexcept = 0;
    virtual const void* result_mark() const noexcept = 0;
    virtual const void* result_address() const noexcept = 0;  // null: none yet
    virtual void set_result(void* result) = 0;                // moved from
    virtual void reset_result() noexcept = 0;

    virtual std::optional<std::string> given_key() const = 0;
    virtual JsonFailure write_content(JsonText& out) const = 0;
    virtual JsonFailure write_result(JsonText& out) const = 0;
    virtual JsonFailure read_result(std::string_view json) = 0;
    virtual std::vector<Violation> find_violations() const = 0;
    virtual Task<Sent> run_handler() = 0;

    // What the handler runs under, and what came of it; detail::Idempotency's.
    struct Protection {
        Lease* lease = nullptr;
        Transaction* transaction = nullptr;
        bool has_begun = false;           // the handler was called
        bool is_untouched = false;        // it said so, in its last attempt
        bool was_touched_before = false;  // an earlier attempt did not say so
    };

    // A behaviour may call next() again. What an attempt returned before does not count, what it may have
    // touched does.
    void begin_attempt() noexcept
    {
        reset_result();
        const bool is_again = std::exchange(protection_.has_begun, true);
        const bool was_untouched = std::exchange(protection_.is_untouched, false);
        if (is_again && !was_untouched) protection_.was_touched_before = true;
    }

    Mediator& mediator_;
    const detail::CommandEntry& entry_;
    const SendOptions options_;
    const TenantId& tenant_id_;  // of the options, or the mediator's own
    SendReport report_;
    Protection protection_;
    Transaction* outer_ = nullptr;  // the caller's own transaction

private:
    friend class detail::Idempotency;
    friend class detail::MediatorCore;
    friend class ValidationBehaviour;
};

}  // namespace umavez
