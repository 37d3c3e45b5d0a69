#include "mediator/send_errors.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez {

std::string_view to_text(SendErrc code) noexcept
{
    switch (code) {
        case SendErrc::no_handler: return "no_handler";
        case SendErrc::invalid: return "invalid";
        case SendErrc::invalid_key: return "invalid_key";
        case SendErrc::cancelled: return "cancelled";
        case SendErrc::in_progress: return "in_progress";
        case SendErrc::mismatch: return "mismatch";
        case SendErrc::in_doubt: return "in_doubt";
        case SendErrc::unavailable: return "unavailable";
        case SendErrc::failed: return "failed";
        case SendErrc::unwritable_command: return "unwritable_command";
        case SendErrc::unwritable_result: return "unwritable_result";
        case SendErrc::unreadable_result: return "unreadable_result";
        case SendErrc::omitted_result: return "omitted_result";
        case SendErrc::no_result: return "no_result";
        case SendErrc::misuse: return "misuse";
    }
    return "unknown";
}

std::string_view to_text(SendOutcome outcome) noexcept
{
    switch (outcome) {
        case SendOutcome::executed: return "executed";
        case SendOutcome::hit: return "hit";
        case SendOutcome::hit_after_wait: return "hit_after_wait";
        case SendOutcome::conflict: return "conflict";
        case SendOutcome::mismatch: return "mismatch";
        case SendOutcome::in_doubt: return "in_doubt";
        case SendOutcome::unavailable: return "unavailable";
        case SendOutcome::failed: return "failed";
        case SendOutcome::refused: return "refused";
        case SendOutcome::cancelled: return "cancelled";
        case SendOutcome::unreadable: return "unreadable";
        case SendOutcome::count_: break;
    }
    return "unknown";
}

namespace detail {

SendError send_error(
    SendErrc code, Effect effect, std::string_view command, std::string_view sentence
)
{
    SendError error{.code = code, .effect = effect};
    error.detail = fmt::format("command {}: {}", command, sentence);
    return error;
}

SendError unwritable_command(std::string_view command, std::string_view why)
{
    return send_error(
        SendErrc::unwritable_command,
        Effect::none,
        command,
        fmt::format("it has no JSON form: {}", why)
    );
}

SendError unwritable_result(std::string_view command, std::string_view why, Effect effect)
{
    const char* const what =
        effect == Effect::none ? "it was rolled back" : "it ran and will not run again";
    return send_error(
        SendErrc::unwritable_result,
        effect,
        command,
        fmt::format("its result has no JSON form: {}; {}", why, what)
    );
}

SendError unreadable_result(std::string_view command, std::string_view why)
{
    return send_error(
        SendErrc::unreadable_result,
        Effect::applied,
        command,
        fmt::format(
            "it ran before, but the result that was kept is not of its Result type: {}", why
        )
    );
}

SendError omitted_result(std::string_view command)
{
    return send_error(
        SendErrc::omitted_result,
        Effect::applied,
        command,
        "it ran before; no result was kept, because it is larger than result_bytes_max or an "
        "operator gave none"
    );
}

SendError invalid_key(std::string_view command, std::string_view why)
{
    return send_error(
        SendErrc::invalid_key,
        Effect::none,
        command,
        fmt::format("its idempotency_key, or what the KeyGenerator made: {}", why)
    );
}

SendError cancelled(std::string_view command)
{
    return send_error(
        SendErrc::cancelled,
        Effect::none,
        command,
        "its stop was requested before the handler began"
    );
}

SendError not_in_transaction(std::string_view command)
{
    return send_error(
        SendErrc::misuse,
        Effect::none,
        command,
        "send_in() needs a handler that takes a Transaction; send() it outside"
    );
}

SendError in_progress_elsewhere(std::string_view command, Effect effect, Duration retry_after)
{
    SendError error =
        send_error(SendErrc::in_progress, effect, command, "another send of its key is running");
    error.retry_after = retry_after;
    return error;
}

SendError other_content(std::string_view command, Effect effect)
{
    return send_error(SendErrc::mismatch, effect, command, "its key was used for another content");
}

SendError in_doubt_error(std::string_view command, std::optional<Duration> retry_after)
{
    SendError error = send_error(
        SendErrc::in_doubt,
        Effect::unknown,
        command,
        retry_after ? "nobody knows yet whether it happened; it is being found out"
                    : "nobody knows whether it happened; an operator decides (release or resolve)"
    );
    error.retry_after = retry_after;
    return error;
}

SendError store_unavailable(std::string_view command, Effect effect, std::string_view why)
{
    return send_error(SendErrc::unavailable, effect, command, why);
}

SendError failed_before(std::string_view command, std::string_view body)
{
    return send_error(
        SendErrc::failed,
        Effect::none,
        command,
        body.empty() ? std::string_view{"it was settled as failed"} : body
    );
}

SendError from_engine(std::string_view command, const Error& error)
{
    const auto code = [&error] {
        if (error.code == Errc::cancelled) return SendErrc::cancelled;
        const bool is_store = is_retryable(error.code) || error.code == Errc::corrupt_record ||
                              error.code == Errc::limit_exceeded || error.code == Errc::lease_lost;
        if (is_store) return SendErrc::unavailable;
        return error.code == Errc::sql || error.code == Errc::unique_violation ? SendErrc::failed
                                                                               : SendErrc::misuse;
    }();
    SendError told = send_error(code, effect_of(error.code), command, error.detail);
    told.cause = error;
    return told;
}

SendError invalid(std::string_view command, std::vector<Violation> violations)
{
    std::string sentence;
    for (const Violation& violation : violations) {
        if (!sentence.empty()) sentence += "; ";
        sentence += violation.field + ' ' + violation.problem;
    }
    SendError error = send_error(SendErrc::invalid, Effect::none, command, sentence);
    error.violations = std::move(violations);
    return error;
}

SendError no_result(std::string_view command)
{
    return send_error(
        SendErrc::no_result, Effect::none, command, "a behaviour ended it without an answer"
    );
}

std::string text_of(const std::exception_ptr& exception)
{
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& thrown) {
        return thrown.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

SendOutcome outcome_of(SendErrc code) noexcept
{
    switch (code) {
        case SendErrc::cancelled: return SendOutcome::cancelled;
        case SendErrc::in_progress: return SendOutcome::conflict;
        case SendErrc::mismatch: return SendOutcome::mismatch;
        case SendErrc::in_doubt: return SendOutcome::in_doubt;
        case SendErrc::unavailable: return SendOutcome::unavailable;
        case SendErrc::failed:
        case SendErrc::unwritable_result: return SendOutcome::failed;
        case SendErrc::unreadable_result:
        case SendErrc::omitted_result: return SendOutcome::unreadable;
        case SendErrc::no_handler:
        case SendErrc::invalid:
        case SendErrc::invalid_key:
        case SendErrc::unwritable_command:
        case SendErrc::no_result:
        case SendErrc::misuse: break;
    }
    return SendOutcome::refused;
}

}  // namespace detail
}  // namespace umavez
