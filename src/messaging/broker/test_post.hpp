#pragma once

// Post: a database, the program's RabbitMQ and somebody who looks into its queues, for tests of the broker.
// Each test has a prefix of its own there. Confined to the test.

#include "messaging/broker/broker_relay.hpp"
#include "messaging/broker/broker_source.hpp"
#include "messaging/broker/connection.hpp"
#include "messaging/broker/letter.hpp"
#include "messaging/broker/topology.hpp"
#include "messaging/messages.hpp"
#include "messaging/outbox.hpp"
#include "support/postgres_server.hpp"
#include "support/rabbitmq_server.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace umavez::messaging {

using namespace std::chrono_literals;

// A RabbitMQ that takes no message above this.
inline constexpr int broker_bytes_max = 100'000;
inline test::RabbitMqServer& rabbitmq()
{
    static test::RabbitMqServer server{{"max_message_size = " + std::to_string(broker_bytes_max)}};
    return server;
}

// Somebody else at the broker.
class Probe {
public:
    explicit Probe(const BrokerOptions& options)
        : connection_(*Connection::open(*parse_broker_address(options.url), options, "probe"))
    {
        EXPECT_TRUE(connection_.open_channel(channel));
    }
    // Says goodbye: what was published just before a connection breaks off may be lost.
    ~Probe() { connection_.close(); }
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

    void declare(const std::string& queue, std::vector<amqp_table_entry_t> arguments = {})
    {
        const amqp_table_t table{static_cast<int>(arguments.size()), arguments.data()};
        amqp_queue_declare(connection_.state(), channel, bytes_of(queue), 0, 1, 0, 0, table);
        check("declare " + queue);
    }
    void bind(const std::string& queue, const std::string& exchange, const std::string& key)
    {
        amqp_queue_bind(
            connection_.state(),
            channel,
            bytes_of(queue),
            bytes_of(exchange),
            bytes_of(key),
            amqp_empty_table
        );
        check("bind " + queue);
    }
    void unbind(const std::string& queue, const std::string& exchange, const std::string& key)
    {
        amqp_queue_unbind(
            connection_.state(),
            channel,
            bytes_of(queue),
            bytes_of(exchange),
            bytes_of(key),
            amqp_empty_table
        );
        check("unbind " + queue);
    }
    void remove(const std::string& queue)
    {
        amqp_queue_delete(connection_.state(), channel, bytes_of(queue), 0, 0);
        check("delete " + queue);
    }
    // Whether it is there; where it is not, this probe is of no use any more.
    bool has(const std::string& queue)
    {
        amqp_queue_declare(connection_.state(), channel, bytes_of(queue), 1, 1, 0, 0, {});
        return connection_.check().has_value();
    }
    void publish(const Route& route, const Letter& letter)
    {
        const Properties properties{letter};
        publish(route, properties.get(), letter.data);
    }
    void publish(
        const Route& route, const amqp_basic_properties_t* properties, const std::string& body
    )
    {
        EXPECT_TRUE(Connection::check(amqp_basic_publish(
            connection_.state(),
            channel,
            bytes_of(route.exchange),
            bytes_of(route.key),
            0,
            0,
            properties,
            bytes_of(body)
        )));
    }

    struct Got {
        std::string message_id;
        std::string type;
        std::string body;
        std::string reason;
        std::string key;  // it was published with
    };
    // The next one of a queue, which is taken away.
    std::optional<Got> get(const std::string& queue)
    {
        const amqp_rpc_reply_t reply =
            amqp_basic_get(connection_.state(), channel, bytes_of(queue), /*no_ack=*/1);
        EXPECT_EQ(reply.reply_type, AMQP_RESPONSE_NORMAL) << queue;
        if (reply.reply.id != AMQP_BASIC_GET_OK_METHOD) return std::nullopt;
        Got got;
        got.key =
            text_of(static_cast<const amqp_basic_get_ok_t*>(reply.reply.decoded)->routing_key);
        const auto content = connection_.read_content(channel);
        if (!content) return std::nullopt;
        const amqp_message_t& message = content->message();
        got.message_id = text_of(message.properties.message_id);
        got.type = text_of(message.properties.type);
        got.body = text_of(message.body);
        for (int i = 0; i < message.properties.headers.num_entries; ++i) {
            const amqp_table_entry_t& header = message.properties.headers.entries[i];
            if (text_of(header.key) == "umavez-reason")
                got.reason = text_of(header.value.value.bytes);
        }
        amqp_maybe_release_buffers(connection_.state());
        return got;
    }
    // So many, in their order.
    std::vector<Got> get_all(const std::string& queue, std::size_t count)
    {
        std::vector<Got> all;
        test::wait_until(std::to_string(count) + " are in " + queue, [&] {
            if (auto got = get(queue)) all.push_back(*std::move(got));
            return all.size() == count;
        });
        return all;
    }

private:
    void check(const std::string& what)
    {
        const auto answered = connection_.check();
        EXPECT_TRUE(answered) << what << ": " << to_text(answered.error());
    }

    static constexpr amqp_channel_t channel = 1;
    Connection connection_;
};

class Post : public testing::Test {
protected:
    void SetUp() override
    {
        static int tests = 0;
        broker.url = rabbitmq().url();
        broker.prefix = "t" + std::to_string(++tests);
        broker.retry_longest = 200ms;
        // Nothing is repeated or moved for being slow. Who looks into a queue now and then stays connected.
        broker.heartbeat = 10min;
        broker.connect_timeout = 5min;
        broker.confirm_timeout = 10min;
        broker.unbegun_max = 10min;
        open();
    }
    void TearDown() override { database.reset(); }
    void open()
    {
        auto opened = open_database(home.url(), {.durable = false});
        ASSERT_TRUE(opened) << opened.error().detail;
        database = *std::move(opened);
        const auto migrated = database->migrate(migrations(database->dialect()));
        ASSERT_TRUE(migrated) << migrated.error().detail;
    }

    void append(const std::string& aggregate, const std::string& data = "{}")
    {
        const auto done = database->transact([&](Transaction& transaction) {
            return append_message(
                transaction,
                {*TenantId::parse("loja"), "mailing", aggregate, "mailing.processar", data}
            );
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
    std::int64_t ask(const std::string& text)
    {
        std::int64_t answer = -1;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query(text);
            if (!rows) return std::unexpected(rows.error());
            answer = rows->front().integer(0);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return answer;
    }
    std::int64_t in_state(const std::string& state)
    {
        return ask("SELECT count(*) FROM umavez_messages WHERE state = '" + state + "'");
    }
    void await(const std::string& state, std::int64_t count)
    {
        test::wait_until(std::to_string(count) + " messages are " + state, [&] {
            return in_state(state) == count;
        });
    }
    // Until the relay says so.
    static void await_trouble(
        BrokerRelay& relay, const std::string& part, const std::function<void()>& ask_too = [] {}
    )
    {
        test::wait_until("the relay says: " + part, [&] {
            ask_too();
            const auto trouble = relay.take_trouble();
            return trouble && trouble->find(part) != std::string::npos;
        });
    }
    std::string name(const std::string& queue) const { return broker.prefix + "." + queue; }
    std::unique_ptr<BrokerRelay> start_relay(BrokerRelayOptions options = {})
    {
        options.period = 20ms;
        options.hidden = 1h;
        return std::make_unique<BrokerRelay>(*database, broker, options);
    }

    BrokerOptions broker;
    const test::TemporaryFolder folder;
    test::TestDatabase home{folder.path()};
    std::unique_ptr<Database> database;
};

}  // namespace umavez::messaging
