#pragma once

// What a sender is told when there is no result; each sentence stands in one place. Pure.

#include <umavez/mediator/send.hpp>
#include <umavez/result.hpp>

#include <exception>
#include <string>
#include <string_view>

namespace umavez::detail {

// "command create_order: " and the sentence.
SendError send_error(
    SendErrc code, Effect effect, std::string_view command, std::string_view sentence
);

SendError unwritable_command(std::string_view command, std::string_view why);
SendError unwritable_result(std::string_view command, std::string_view why, Effect effect);
SendError unreadable_result(std::string_view command, std::string_view why);
SendError omitted_result(std::string_view command);
SendError invalid_key(std::string_view command, std::string_view why);
SendError cancelled(std::string_view command);
SendError not_in_transaction(std::string_view command);
SendError in_progress_elsewhere(std::string_view command, Effect effect, Duration retry_after);
SendError other_content(std::string_view command, Effect effect);
SendError in_doubt_error(std::string_view command, std::optional<Duration> retry_after);
SendError store_unavailable(std::string_view command, Effect effect, std::string_view why);
SendError failed_before(std::string_view command, std::string_view body);
SendError from_engine(std::string_view command, const Error& error);
SendError invalid(std::string_view command, std::vector<Violation> violations);
SendError no_result(std::string_view command);

// What an exception says.
std::string text_of(const std::exception_ptr& exception);

// How a send that ended with this error is counted.
SendOutcome outcome_of(SendErrc code) noexcept;

}  // namespace umavez::detail
