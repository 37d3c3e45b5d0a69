#include "messaging/broker/topology.hpp"

#include "messaging/broker_use.hpp"

#include <fmt/format.h>

#include <vector>

namespace umavez::messaging {
namespace {

// Of its own: a refusal closes the channel.
constexpr amqp_channel_t channel = 7;

amqp_table_entry_t entry(const char* name, const std::string& value)
{
    amqp_table_entry_t made{};
    made.key = amqp_cstring_bytes(name);
    made.value.kind = AMQP_FIELD_KIND_UTF8;
    made.value.value.bytes = bytes_of(value);
    return made;
}

amqp_table_entry_t entry(const char* name, std::int64_t value)
{
    amqp_table_entry_t made{};
    made.key = amqp_cstring_bytes(name);
    made.value.kind = AMQP_FIELD_KIND_I64;
    made.value.value.i64 = value;
    return made;
}

using Arguments = std::vector<amqp_table_entry_t>;

amqp_table_t table_of(Arguments& arguments)
{
    return {static_cast<int>(arguments.size()), arguments.data()};
}

// Declares one thing after the other, until one is refused.
class Declaration {
public:
    explicit Declaration(Connection& connection) : connection_(connection)
    {
        note("a channel", connection_.open_channel(channel));
    }

    void exchange(const std::string& name, const std::string& type)
    {
        if (refusal_) return;
        amqp_exchange_declare(
            connection_.state(),
            channel,
            bytes_of(name),
            bytes_of(type),
            /*passive=*/0,
            /*durable=*/1,
            /*auto_delete=*/0,
            /*internal=*/0,
            amqp_empty_table
        );
        note("exchange " + name, connection_.check());
    }

    void queue(const std::string& name, Arguments arguments)
    {
        if (refusal_) return;
        static const std::string quorum = "quorum";
        arguments.push_back(entry("x-queue-type", quorum));
        amqp_queue_declare(
            connection_.state(),
            channel,
            bytes_of(name),
            /*passive=*/0,
            /*durable=*/1,
            /*exclusive=*/0,
            /*auto_delete=*/0,
            table_of(arguments)
        );
        note("queue " + name, connection_.check());
    }

    void bind(const std::string& queue, const std::string& exchange, const std::string& key)
    {
        if (refusal_) return;
        amqp_queue_bind(
            connection_.state(),
            channel,
            bytes_of(queue),
            bytes_of(exchange),
            bytes_of(key),
            amqp_empty_table
        );
        note("the binding of queue " + queue, connection_.check());
    }

    Result<void> finish()
    {
        if (!refusal_) {
            connection_.close_channel(channel);
            return {};
        }
        const bool is_ours = refusal_->code >= reply_code::access_refused &&
                             refusal_->code <= reply_code::precondition_failed;
        if (!is_ours) return fail(Errc::store_unavailable, to_text(*refusal_));
        connection_.forget_channel(channel);
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{} at the broker is not as it has to be ({}). A queue of work is a quorum queue "
                "with a dead-letter exchange and a delivery limit, declared by umavez with its own "
                "arguments: move its messages away, delete it and let umavez declare it, or use "
                "another vhost; the user needs configure, write and read permissions",
                subject_,
                to_text(*refusal_)
            )
        );
    }

private:
    void note(std::string subject, const Answered<void>& answered)
    {
        if (answered) return;
        subject_ = std::move(subject);
        refusal_ = answered.error();
    }

    Connection& connection_;
    std::string subject_;
    std::optional<Refusal> refusal_;
};

}  // namespace

Route Names::route_of(const std::string& name, const std::string& type) const
{
    if (name == events_queue) return {events(), type, /*is_mandatory=*/false};
    return {work(), name};
}

Result<void> declare_queue(
    Connection& connection, const BrokerOptions& options, const std::string& name
)
{
    const Names names{options.prefix};
    const std::string work = names.work();
    const std::string dead = names.dead();
    // At least once needs a queue that refuses rather than forgets when it is full.
    const std::string at_least_once = "at-least-once";
    const std::string overflow = "reject-publish";
    Declaration declaration{connection};
    if (name == events_queue) {
        declaration.exchange(names.events(), "topic");
        return declaration.finish();
    }
    declaration.exchange(work, "direct");
    declaration.exchange(dead, "direct");
    declaration.queue(names.dead_queue(name), {});
    declaration.bind(names.dead_queue(name), dead, name);
    declaration.queue(
        names.queue(name),
        {entry("x-dead-letter-exchange", dead),
         entry("x-dead-letter-routing-key", name),
         entry("x-dead-letter-strategy", at_least_once),
         entry("x-overflow", overflow),
         entry("x-delivery-limit", options.delivery_limit)}
    );
    declaration.bind(names.queue(name), work, name);
    declaration.queue(
        names.held_queue(name),
        {entry("x-dead-letter-exchange", work),
         entry("x-dead-letter-routing-key", name),
         entry("x-dead-letter-strategy", at_least_once),
         entry("x-overflow", overflow),
         entry(
             "x-message-ttl",
             std::chrono::duration_cast<std::chrono::milliseconds>(held_longest).count()
         )}
    );
    return declaration.finish();
}

}  // namespace umavez::messaging
