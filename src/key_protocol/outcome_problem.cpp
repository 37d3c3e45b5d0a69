#include "key_protocol/outcome_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <variant>

namespace umavez::key_protocol {
namespace {

// A store that fails over or restarts needs seconds; a whole fleet asking every second would not
// help it.
constexpr std::int64_t store_retry_after_seconds = 5;

http::Problem make_problem(std::string name, http::Text detail)
{
    http::Problem problem{};
    problem.name = std::move(name);
    problem.detail = std::move(detail);
    return problem;
}

void add_retry_after(http::Problem& problem, std::int64_t seconds)
{
    problem.headers.push_back({"Retry-After", std::to_string(seconds)});
}

http::Problem in_progress(const InProgress& outcome)
{
    const Duration remaining = std::max(outcome.retry_after, Duration{0});
    const std::int64_t seconds = retry_after_seconds(remaining);
    http::Problem problem = make_problem(
        "idempotency-in-progress",
        {fmt::format("retry with the same key in {} s", seconds),
         fmt::format("tente de novo com a mesma chave em {} s", seconds)}
    );
    add_retry_after(problem, seconds);
    const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(remaining).count();
    problem.members.push_back(http::number_member("lease_remaining_ms", milliseconds));
    return problem;
}

http::Problem mismatch(const Mismatch& outcome, const AnswerFacts& facts)
{
    http::Text detail{
        "the payload is not that of the first request with this key",
        "o conteúdo não é o da primeira requisição com esta chave",
    };
    if (outcome.target) {
        detail = {
            "the method, path or query is not that of the first request with this key",
            "o método, o caminho ou a consulta não são os da primeira requisição com esta chave",
        };
    }
    http::Problem problem = make_problem("idempotency-key-reused", std::move(detail));
    problem.status = facts.mismatch_status;
    return problem;
}

http::Problem in_doubt(const InDoubt& outcome)
{
    if (!outcome.retry_after) {
        http::Problem problem = make_problem(
            "idempotency-in-doubt",
            {"an operator has to find out and decide; then a retry with this key gets the answer",
             "um operador precisa verificar e decidir; depois disso, uma nova tentativa com esta "
             "chave "
             "recebe a resposta"}
        );
        problem.members.push_back(http::text_member("resolution", "operator"));
        return problem;
    }
    const auto wait = std::chrono::ceil<std::chrono::seconds>(*outcome.retry_after).count();
    const std::int64_t seconds = std::max<std::int64_t>(wait, 1);
    http::Problem problem = make_problem(
        "idempotency-in-doubt",
        {fmt::format(
             "the other party will be asked again in {} s; then retry with this key", seconds
         ),
         fmt::format(
             "a outra parte será consultada de novo em {} s; depois tente outra vez com esta chave",
             seconds
         )}
    );
    // Not capped: before the enquiry there is nothing new to say.
    add_retry_after(problem, seconds);
    problem.members.push_back(http::text_member("resolution", "reconciler"));
    return problem;
}

http::Problem not_kept(const Replayed& outcome)
{
    http::Problem problem = make_problem(
        "idempotency-response-not-kept",
        {"the operation is final and was not executed again",
         "a operação é definitiva e não foi executada de novo"}
    );
    problem.members.push_back(http::text_member("outcome", to_text(outcome.status)));
    // A record that an operator resolved without an answer has no status to tell.
    const int status = outcome.response.status;
    const bool is_known = outcome.status == Status::failed ? status >= 400 : status >= 200;
    if (is_known) problem.members.push_back(http::number_member("stored_status", status));
    return problem;
}

// What a replay would show is gone. Its body is then the record of the operation (operation.hpp, `current`).
http::Problem deleted(const Replayed& outcome)
{
    http::Problem problem = make_problem(
        "entity-deleted",
        {"the operation was done earlier and is not done again",
         "a operação já foi feita e não é feita de novo"}
    );
    if (!outcome.response.body.empty()) problem.members.push_back({"record", outcome.response.body});
    return problem;
}

http::Text unavailable_detail(Effect effect, bool has_key)
{
    if (effect == Effect::none) {
        return {"nothing was executed", "nada foi executado"};
    }
    if (has_key) {
        return {
            "it is not known whether the operation took effect; a retry with the same key finds "
            "out",
            "não se sabe se a operação teve efeito; uma nova tentativa com a mesma chave descobre",
        };
    }
    return {
        "it is not known whether the operation took effect; without a key a retry may repeat it",
        "não se sabe se a operação teve efeito; sem chave, uma nova tentativa pode repeti-la",
    };
}

http::Problem unavailable(Effect effect, bool has_key)
{
    http::Problem problem = make_problem("store-unavailable", unavailable_detail(effect, has_key));
    add_retry_after(problem, store_retry_after_seconds);
    problem.members.push_back(http::text_member("effect", to_text(effect)));
    return problem;
}

struct ProblemOf {
    const AnswerFacts& facts;

    std::optional<http::Problem> operator()(const Executed&) const { return std::nullopt; }
    std::optional<http::Problem> operator()(const Replayed& outcome) const
    {
        if (outcome.omitted) return not_kept(outcome);
        const bool shows_current = facts.policy.replay == Replaying::current;
        if (shows_current && outcome.response.status == 410) return deleted(outcome);
        return std::nullopt;
    }
    std::optional<http::Problem> operator()(const InProgress& outcome) const
    {
        return in_progress(outcome);
    }
    std::optional<http::Problem> operator()(const Mismatch& outcome) const
    {
        return mismatch(outcome, facts);
    }
    std::optional<http::Problem> operator()(const InDoubt& outcome) const
    {
        return in_doubt(outcome);
    }
    std::optional<http::Problem> operator()(const Unavailable& outcome) const
    {
        http::Problem problem = unavailable(outcome.effect, facts.has_key);
        problem.cause = outcome.detail;
        return problem;
    }
    std::optional<http::Problem> operator()(const Unkeyed&) const { return std::nullopt; }
};

}  // namespace

std::optional<http::Problem> problem_of(const Outcome& outcome, const AnswerFacts& facts)
{
    return std::visit(ProblemOf{facts}, outcome);
}

namespace {

http::Problem kind_of(const Error& error, bool has_key)
{
    switch (error.code) {
        case Errc::store_unavailable:
        case Errc::busy:
        case Errc::store_unknown: return unavailable(effect_of(error.code), has_key);
        case Errc::corrupt_record:
            return make_problem(
                "idempotency-record-damaged",
                {"the operation was not executed again", "a operação não foi executada de novo"}
            );
        case Errc::limit_exceeded: {
            http::Problem problem = make_problem(
                "unavailable",
                {"a limit of the server is reached; nothing was executed",
                 "um limite do servidor foi atingido; nada foi executado"}
            );
            add_retry_after(problem, store_retry_after_seconds);
            return problem;
        }
        case Errc::invalid_argument:
        case Errc::not_found:
        case Errc::misconfigured:
        case Errc::lease_lost:
        case Errc::wrong_thread:
        case Errc::cancelled:
        case Errc::unique_violation:
        case Errc::sql: break;
    }
    return make_problem("internal-error", {});
}

}  // namespace

http::Problem problem_of(const Error& error, bool has_key)
{
    http::Problem problem = kind_of(error, has_key);
    problem.cause = error.detail;
    return problem;
}

}  // namespace umavez::key_protocol
