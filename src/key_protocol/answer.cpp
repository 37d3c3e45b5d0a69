#include "key_protocol/answer.hpp"

#include "http/encode.hpp"
#include "key_protocol/outcome_problem.hpp"
#include "key_protocol/replay_headers.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace umavez::key_protocol {
namespace {

// Room for what the protocol adds, made once.
constexpr std::size_t headers_added_max = 4;

http::Response answer_from(int status, Response&& response, std::size_t passing = 0)
{
    http::Response answer{
        status, replayable_headers(std::move(response.headers)), std::move(response.body)
    };
    answer.headers.reserve(answer.headers.size() + passing + headers_added_max);
    return answer;
}

void add_guarantee(http::Response& answer, std::string_view guarantee)
{
    answer.headers.push_back({"Idempotency-Guarantee", std::string{guarantee}});
}

void add_expiry(http::Response& answer, const std::optional<Instant>& expires_at)
{
    if (!expires_at) return;
    // What is kept in one second mostly expires in one second.
    thread_local http::HttpDate date;
    answer.headers.push_back({"Idempotency-Key-Expires", date.at(*expires_at)});
}

http::Response executed(Executed&& outcome, const AnswerFacts& facts)
{
    const int status = outcome.response.status;
    http::Response answer = answer_from(status, std::move(outcome.response), facts.passing.size());
    for (const Header& header : facts.passing) answer.headers.push_back(header);
    add_guarantee(answer, outcome.unprotected ? "none" : to_text(facts.policy.guarantee));
    if (outcome.kept && !outcome.unprotected) add_expiry(answer, outcome.expires_at);
    return answer;
}

http::Response replayed(Replayed&& outcome, const AnswerFacts& facts)
{
    const int status = outcome.response.status;
    // The entity as it is now is shown, not created.
    const bool is_shown = facts.policy.replay == Replaying::current && status == 201;
    http::Response answer = answer_from(is_shown ? 200 : status, std::move(outcome.response));
    answer.headers.push_back({"Idempotent-Replayed", "true"});
    add_guarantee(answer, to_text(facts.policy.guarantee));
    add_expiry(answer, outcome.expires_at);
    return answer;
}

http::Response unkeyed(Unkeyed&& outcome, const AnswerFacts& facts)
{
    const int status = outcome.response.status;
    http::Response answer = answer_from(status, std::move(outcome.response), facts.passing.size());
    for (const Header& header : facts.passing) answer.headers.push_back(header);
    add_guarantee(answer, "none");
    return answer;
}

http::Response answer_for(Outcome&& outcome, const AnswerFacts& facts)
{
    if (const auto problem = problem_of(outcome, facts)) {
        http::Response answer = to_answer(*problem, facts);
        // The record behind this problem is final and expires like any other.
        const auto* const kept = std::get_if<Replayed>(&outcome);
        if (kept != nullptr) add_expiry(answer, kept->expires_at);
        return answer;
    }
    if (auto* const run = std::get_if<Executed>(&outcome)) return executed(std::move(*run), facts);
    if (auto* const kept = std::get_if<Replayed>(&outcome))
        return replayed(std::move(*kept), facts);
    return unkeyed(std::move(std::get<Unkeyed>(outcome)), facts);
}

}  // namespace

http::Response to_answer(Outcome outcome, const AnswerFacts& facts)
{
    // Without a record there is no first to wait for, so the wish was not applied.
    const bool is_applied = facts.wait && !std::holds_alternative<Unkeyed>(outcome);
    http::Response answer = answer_for(std::move(outcome), facts);
    if (is_applied) answer.headers.push_back({"Preference-Applied", to_preference(*facts.wait)});
    return answer;
}

http::Response to_answer(const Error& error, const AnswerFacts& facts)
{
    return to_answer(problem_of(error, facts.has_key), facts);
}

http::Response to_answer(const http::Problem& problem, const AnswerFacts& facts)
{
    http::Response answer = to_response(problem, facts.place);
    add_guarantee(answer, facts.has_key ? to_text(facts.policy.guarantee) : "none");
    return answer;
}

std::int64_t retry_after_seconds(Duration lease_remaining) noexcept
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(lease_remaining).count();
    return std::clamp<std::int64_t>(seconds, 1, 5);
}

}  // namespace umavez::key_protocol
