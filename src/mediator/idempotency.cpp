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
struct Idempotency::Run {
    Send& send;
    const Next next;
    const bool has_key;
    bool may_have_happened = false;    // outside any transaction
    std::optional<SendError> refusal;  // instead of a result

    Task<Response> under(Lease& lease);
    Result<Response> inside(Transaction& transaction);
    bool was_cancelled();
};

// The last look before the handler: the claim may have taken its time.
bool Idempotency::Run::was_cancelled()
{
    if (!send.options_.stop.stop_requested()) return false;
    refusal = cancelled(send.command_name());
    return true;
}

Task<Response> Idempotency::Run::under(Lease& lease)
{
    Response response;
    if (was_cancelled()) {
        const auto released = co_await lease.async_untouched();
        static_cast<void>(released);  // a lease that stays open ends by itself
        co_return response;
    }
    may_have_happened = true;
    send.protection_ = {.lease = &lease};
    Sent sent;
    std::exception_ptr exception;
    try {
        sent = co_await next();
    } catch (...) {
        exception = std::current_exception();
    }
    const bool is_untouched =
        send.protection_.is_untouched || (!sent && sent.error().effect == Effect::none);
    send.protection_ = {};
    if (is_untouched) {
        const auto released = co_await lease.async_untouched();
        static_cast<void>(released);
    }
    if (exception) std::rethrow_exception(exception);
    if (!sent) {
        refusal = std::move(sent).error();
        response.status =
            500;  // not final: in doubt where it is leased, free again where it is cached
        co_return response;
    }
    JsonText json;
    if (const JsonFailure failure = send.write_result(json)) {
        // It ran, and must not run again: what is kept says that there is nothing to give back.
        refusal = unwritable_result(send.command_name(), failure->text(), Effect::applied);
        response.headers.push_back({std::string{unwritable_header}, "1"});
        response.body = refusal->detail;
        co_return response;
    }
    response.body = json.take();
    co_return response;
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
    if (!sent) {
        refusal = std::move(sent).error();
        if (refusal->cause) return std::unexpected(*refusal->cause);
        return fail(Errc::invalid_argument, refusal->detail);
    }
    Response response;
    if (!has_key) return response;  // nothing is kept
    JsonText json;
    if (const JsonFailure failure = send.write_result(json)) {
        refusal = unwritable_result(send.command_name(), failure->text(), Effect::none);
        return fail(Errc::invalid_argument, refusal->detail);
    }
    response.body = json.take();
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
    Run run{send, next, true};
    AsyncLeasedHandler handler = [&run](Lease& lease) { return run.under(lease); };
    Result<Outcome> outcome = co_await engine_.async_leased(std::move(request), std::move(handler));
    co_return conclude(run, std::move(outcome));
}

Task<Sent> Idempotency::run_atomic(Send& send, Request request, Next next)
{
    Run run{send, next, request.key.has_value()};
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
        const Effect worst = run.may_have_happened ? Effect::unknown : unavailable->effect;
        return std::unexpected(store_unavailable(name, worst, unavailable->detail));
    }
    if (run.refusal) return std::unexpected(*std::move(run.refusal));
    report.outcome = SendOutcome::executed;
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
    if (const JsonFailure failure = send.read_result(replayed.response.body)) {
        SendError error = unreadable_result(name, failure->text());
        auto operation = Operation::parse(name);
        auto key = Key::parse(send.report_.key);
        engine_.remark({send.tenant_id_, *std::move(operation), *std::move(key)}, error.detail);
        return std::unexpected(std::move(error));
    }
    return {};
}

}  // namespace umavez::detail
