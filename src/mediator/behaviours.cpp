#include "base/digest.hpp"
#include "base/json_object.hpp"
#include "mediator/placed.hpp"
#include "mediator/send_errors.hpp"

#include <umavez/mediator/behaviour.hpp>

#include <exception>
#include <utility>

namespace umavez {
namespace {

class FromFunction final : public Behaviour {
public:
    explicit FromFunction(BehaviourFunction function) : function_(std::move(function)) {}
    Task<Sent> run(Send& send, Next next) override { return function_(send, next); }

private:
    const BehaviourFunction function_;
};

SendLine make_line(const Send& send, SendOutcome outcome, std::string detail, Duration took)
{
    const SendReport& report = send.report();
    std::string record;
    if (!report.key.empty()) {
        Hasher hasher;
        hasher.part(send.tenant_id().text());
        hasher.part(send.command_name());
        hasher.part(report.key);
        record = to_hex(hasher.finish()).substr(0, 16);
    }
    return {
        .command = std::string{send.command_name()},
        .tenant_id = send.tenant_id().text(),
        .record = std::move(record),
        .outcome = outcome,
        .took = took,
        .detail = std::move(detail),
    };
}

class Telling final : public Behaviour {
public:
    Telling(Duration slow_after, SendSink sink) : slow_after_(slow_after), sink_(std::move(sink)) {}

    Task<Sent> run(Send& send, Next next) override
    {
        const Duration started_at = system_clock().boottime();
        Sent sent;
        std::exception_ptr exception;
        try {
            sent = co_await next();
        } catch (...) {
            exception = std::current_exception();
        }
        const Duration took = system_clock().boottime() - started_at;
        if (took >= slow_after_) {
            if (exception) {
                sink_(make_line(send, SendOutcome::failed, detail::text_of(exception), took));
            } else if (!sent) {
                const SendError& error = sent.error();
                sink_(make_line(send, detail::outcome_of(error.code), error.detail, took));
            } else {
                sink_(make_line(send, send.report().outcome, {}, took));
            }
        }
        if (exception) std::rethrow_exception(exception);
        co_return sent;
    }

private:
    const Duration slow_after_;
    const SendSink sink_;
};

}  // namespace

Task<Sent> ValidationBehaviour::run(Send& send, Next next)
{
    std::vector<Violation> violations = send.find_violations();
    if (violations.empty()) return next();
    return Task<Sent>::ready(
        std::unexpected(detail::invalid(send.command_name(), std::move(violations)))
    );
}

std::shared_ptr<Behaviour> logging(SendSink sink)
{
    return timing(Duration{0}, std::move(sink));
}

std::shared_ptr<Behaviour> timing(Duration slow_after, SendSink sink)
{
    if (!sink) return nullptr;  // which open() refuses
    return std::make_shared<Telling>(slow_after, std::move(sink));
}

std::shared_ptr<Behaviour> validation()
{
    return std::make_shared<ValidationBehaviour>();
}

std::shared_ptr<Behaviour> idempotency()
{
    return std::make_shared<IdempotencyPlace>();
}

std::shared_ptr<Behaviour> behaviour_from(BehaviourFunction function)
{
    return std::make_shared<FromFunction>(std::move(function));
}

std::string to_json_line(const SendLine& line)
{
    JsonObject json;
    json.text("event", "command")
        .text("command", line.command)
        .text("outcome", to_text(line.outcome));
    json.text("tenant_id", line.tenant_id).text_unless_empty("record", line.record);
    json.number("took_us", line.took.count()).text_unless_empty("detail", line.detail);
    return json.str();
}

}  // namespace umavez
