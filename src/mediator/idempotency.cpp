// A command through the engine, there and back. The file reads in that order: the request, the run
// under a lease or in a transaction, what the engine's outcome means for the sender.

#include "mediator/idempotency.hpp"

#include "json/canonical.hpp"
#include "mediator/send_errors.hpp"

#include <umavez/lease.hpp>
#include <umavez/mediator/handler.hpp>

#include <exception>
#include <utility>

namespace umavez::detail {
namespace {

// On a kept response whose body is no result, but why there is none.
constexpr std::string_view unwritable_header = "umavez-unwritable-result";

bool is_marked_unwritable(const Response& response)
{
    return !response.headers.empty() && response.headers.front().name == unwritable_header;
}

}  // namespace

std::expected<Request, SendError> Idempotency::make_request(
    Send& send, const CommandIdentity& identity
) const
{
    JsonText content{JsonForm::canonical};
    content.reserve(512);
    if (const JsonFailure failure = send.write_content(content)) {
        return std::unexpected(unwritable_command(send.command_name(), failure->text()));
    }
    std::optional<std::string> text = send.given_key();
    if (!text) text = key_generator_.make_key(send.command_name(), content.text());
    auto key = Key::parse(*text);
    if (!key) return std::unexpected(invalid_key(send.command_name(), key.error().detail));
    send.report_.key = *std::move(text);
    return Request{
        .tenant_id = send.tenant_id_,
        .operation = identity.operation,
        .key = *std::move(key),
        .target = identity.target,
        .fingerprint = fingerprint_of_canonical(content.text()),
        .wait = send.options_.wait,
        .stop = send.options_.stop,
    };
}

Request Idempotency::make_keyless_request(Send& send, const CommandIdentity& identity) const
{
    return Request{
        .tenant_id = send.tenant_id_,
        .operation = identity.operation,
        .key = std::nullopt,
        .target = identity.target,
        .fingerprint = {},
        .wait = std::nullopt,
        .stop = send.options_.stop,
    };
}

// One execution of what follows, as the engine sees it: a function that gives a Response.
//
// What the handler returned is kept, unless it said that nothing was touched: also where a behaviour
// around it refuses afterwards or throws, because the effect is there. Where it did not return nobody
// knows, and where it was not called the key is free.
struct Idempotency::Run {
    Send& send;
    const Next next;
    const bool has_key;
    const bool is_leased;
    bool may_have_happened = false;    // outside any transaction
    std::optional<SendError> refusal;  // for the sender, instead of a result
    std::exception_ptr late;           // likewise, thrown after the handler returned

    Task<Response> under(Lease& lease);
    Result<Response> inside(Transaction& transaction);

private:
    bool was_cancelled();
    bool has_result() const noexcept { return send.result_address() != nullptr; }
    void refuse(SendError error, Effect worst);
    Response kept_response();
    std::expected<std::string, std::string> result_json() const;
};

// The last look before the handler: the claim may have taken its time.
bool Idempotency::Run::was_cancelled()
{
    if (!send.options_.stop.stop_requested()) return false;
    refusal = cancelled(send.command_name());
    return true;
}

// A behaviour that says nothing of the effect does not know it.
void Idempotency::Run::refuse(SendError error, Effect worst)
{
    if (error.effect == Effect::none) error.effect = worst;
    refusal = std::move(error);
}

Task<Response> Idempotency::Run::under(Lease& lease)
{
    Send::Protection ended;
    Sent sent;
    std::exception_ptr exception;
    if (!was_cancelled()) {
        send.protection_ = {.lease = &lease};
        try {
            sent = co_await next();
        } catch (...) {
            exception = std::current_exception();
        }
        ended = std::exchange(send.protection_, {});
    }
    if (sent && !exception && !refusal && !has_result()) {
        sent = std::unexpected(no_result(send.command_name()));
    }
    const bool was_answered = has_result() && sent && !exception;
    const bool is_untouched = ended.is_untouched && !ended.was_touched_before;
    const bool is_free = ended.has_begun ? is_untouched : !was_answered;
    may_have_happened = ended.has_begun && !is_free;
    if (is_free || !has_result()) {
        if (is_free) {
            // Told once more by the status below, if this does not get through.
            const auto released = co_await lease.async_untouched();
            static_cast<void>(released);
        }
        if (exception) std::rethrow_exception(exception);
        if (!sent) refuse(std::move(sent).error(), is_free ? Effect::none : Effect::unknown);
        // Not final: in doubt where it is leased, free again where it is cached.
        co_return Response{.status = 500};
    }
    late = exception;
    if (!sent) refuse(std::move(sent).error(), Effect::applied);
    co_return kept_response();
}

Response Idempotency::Run::kept_response()
{
    Response response;
    auto json = result_json();
    if (json) {
        response.body = *std::move(json);
    } else {
        // It ran, and must not run again: what is kept says that there is nothing to give back.
        refusal = unwritable_result(send.command_name(), json.error(), Effect::applied);
        response.headers.push_back({std::string{unwritable_header}, "1"});
        response.body = refusal->detail;
    }
    return response;
}

// A codec may throw, and that is not the handler's exception.
std::expected<std::string, std::string> Idempotency::Run::result_json() const
{
    try {
        JsonText json;
        if (const JsonFailure failure = send.write_result(json)) {
            return std::unexpected(failure->text());
        }
        return json.take();
    } catch (...) {
        return std::unexpected(text_of(std::current_exception()));
    }
}

// May be called again in another transaction.
Result<Response> Idempotency::Run::inside(Transaction& transaction)
{
    send.reset_result();
    refusal.reset();
    if (was_cancelled()) return fail(Errc::cancelled, refusal->detail);
    struct Inside {
        Send::Protection& protection;
        ~Inside() { protection = {}; }
    } const inside{send.protection_};
    send.protection_ = {.transaction = &transaction};

    Sent sent = wait(next());
    if (sent && !has_result()) sent = std::unexpected(no_result(send.command_name()));
    if (!sent) {
        refusal = std::move(sent).error();
        refusal->effect = Effect::none;  // it is rolled back
        if (refusal->cause) return std::unexpected(*refusal->cause);
        return fail(Errc::invalid_argument, refusal->detail);
    }
    Response response;
    if (!has_key) return response;  // nothing is kept
    auto json = result_json();
    if (!json) {
        refusal = unwritable_result(send.command_name(), json.error(), Effect::none);
        return fail(Errc::invalid_argument, refusal->detail);
    }
    response.body = *std::move(json);
    return response;
}

Task<Sent> Idempotency::run(Send& send, const CommandIdentity& identity, Next next)
{
    auto request = make_request(send, identity);
    if (!request) return Task<Sent>::ready(std::unexpected(std::move(request).error()));
    return identity.guarantee == Guarantee::atomic ? run_atomic(send, *std::move(request), next)
                                                   : run_leased(send, *std::move(request), next);
}

Task<Sent> Idempotency::run_without_key(Send& send, const CommandIdentity& identity, Next next)
{
    return run_atomic(send, make_keyless_request(send, identity), next);
}

Task<Sent> Idempotency::run_leased(Send& send, Request request, Next next)
{
    Run run{.send = send, .next = next, .has_key = true, .is_leased = true};
    AsyncLeasedHandler handler = [&run](Lease& lease) { return run.under(lease); };
    Result<Outcome> outcome = co_await engine_.async_leased(std::move(request), std::move(handler));
    if (run.late) std::rethrow_exception(run.late);
    co_return conclude(run, std::move(outcome));
}

Task<Sent> Idempotency::run_atomic(Send& send, Request request, Next next)
{
    Run run{.send = send, .next = next, .has_key = request.key.has_value(), .is_leased = false};
    AtomicHandler handler = [&run](Transaction& transaction) { return run.inside(transaction); };
    if (send.outer_ != nullptr) {
        co_return conclude(run, engine_.atomically(*send.outer_, std::move(request), handler));
    }
    Result<Outcome> outcome =
        co_await engine_.async_atomically(std::move(request), std::move(handler));
    co_return conclude(run, std::move(outcome));
}

Sent Idempotency::conclude(Run& run, Result<Outcome> outcome)
{
    Sent sent = to_sent(run, std::move(outcome));
    // What the handler gave does not count, or is not the sender's.
    if (!sent) run.send.reset_result();
    return sent;
}

Sent Idempotency::to_sent(Run& run, Result<Outcome> outcome)
{
    Send& send = run.send;
    SendReport& report = send.report_;
    const std::string_view name = send.command_name();
    if (!outcome) {
        if (run.refusal) return std::unexpected(*std::move(run.refusal));
        return std::unexpected(from_engine(name, outcome.error()));
    }
    // Whoever ran the handler and is told of another owner does not know what its own effect came
    // to.
    const Effect effect = run.may_have_happened ? Effect::unknown : Effect::none;
    if (auto* const replayed = std::get_if<Replayed>(&*outcome)) {
        report.outcome = replayed->waited ? SendOutcome::hit_after_wait : SendOutcome::hit;
        return give_back(send, std::move(*replayed));
    }
    if (const auto* const in_progress = std::get_if<InProgress>(&*outcome)) {
        return std::unexpected(in_progress_elsewhere(name, effect, in_progress->retry_after));
    }
    if (std::holds_alternative<Mismatch>(*outcome))
        return std::unexpected(other_content(name, effect));
    if (const auto* const in_doubt = std::get_if<InDoubt>(&*outcome)) {
        // An inner behaviour's refusal says more than the doubt it leaves behind.
        SendError error = in_doubt_error(name, in_doubt->retry_after);
        if (run.refusal) error.detail += ": " + run.refusal->detail;
        return std::unexpected(std::move(error));
    }
    if (const auto* const unavailable = std::get_if<Unavailable>(&*outcome)) {
        // Under a lease the effect is the handler's; in a transaction it is the commit's.
        const Effect worst = run.is_leased ? effect : unavailable->effect;
        return std::unexpected(store_unavailable(name, worst, unavailable->detail));
    }
    if (run.refusal) return std::unexpected(*std::move(run.refusal));
    const auto* const executed = std::get_if<Executed>(&*outcome);
    report.outcome = SendOutcome::executed;
    report.unprotected = executed != nullptr && executed->unprotected;
    return {};
}

Sent Idempotency::give_back(Send& send, Replayed&& replayed)
{
    send.reset_result();
    const std::string_view name = send.command_name();
    if (replayed.status == Status::failed) {
        return std::unexpected(failed_before(name, replayed.response.body));
    }
    if (replayed.omitted) return std::unexpected(omitted_result(name));
    if (is_marked_unwritable(replayed.response)) {
        SendError error{.code = SendErrc::unwritable_result, .effect = Effect::applied};
        error.detail = replayed.response.body;
        return std::unexpected(std::move(error));
    }
    if (const auto problem = read_problem(send, replayed.response.body)) {
        SendError error = unreadable_result(name, *problem);
        auto operation = Operation::parse(name);
        auto key = Key::parse(send.report_.key);
        engine_.remark({send.tenant_id_, *std::move(operation), *std::move(key)}, error.detail);
        return std::unexpected(std::move(error));
    }
    return {};
}

// A codec may throw, and that is not the handler's exception.
std::optional<std::string> Idempotency::read_problem(Send& send, std::string_view json)
{
    try {
        const JsonFailure failure = send.read_result(json);
        return failure ? std::optional{failure->text()} : std::nullopt;
    } catch (...) {
        return text_of(std::current_exception());
    }
}

}  // namespace umavez::detail
