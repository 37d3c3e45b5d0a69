// The built program on PostgreSQL: several processes on one database, the operators' commands, and
// a server that goes away.

#include "functional/http_client.hpp"
#include "functional/process.hpp"
#include "functional/scratch.hpp"
#include "http/raw_client.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace umavez::functional {
namespace {

using http::body_of;
using http::RawClient;
using http::status_of;
using testing::HasSubstr;

std::string post_text(std::string_view path, std::string_view key, std::string_view body)
{
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Idempotency-Key: {}\r\nContent-Length: {}\r\n\r\n{}",
        path,
        key,
        body.size(),
        body
    );
}

constexpr const char* joao =
    R"({"nome": "João Silva", "email": "joao@example.com", "documento": "123.456.789-00"})";

// One `umavez serve`.
class Served {
public:
    Served(const std::string& folder, const std::string& url)
        : process_(folder, {"serve", "--listen", "127.0.0.1:0", "--database", url})
    {
        const std::string& log = process_.wait_for_error_output("\"event\":\"listening\"");
        process_.wait_for_error_output("\"pid\":");
        const std::string_view name = "\"port\":";
        port_ = static_cast<std::uint16_t>(std::stoi(log.substr(log.find(name) + name.size())));
    }
    std::string post(std::string_view path, std::string_view key, std::string_view body) const
    {
        return ask(post_text(path, key, body));
    }
    std::string get(std::string_view path) const
    {
        return ask(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path));
    }
    // Asked again while the store is away, too slow for its limits, or somebody else is under way.
    template <typename Ask>
    static std::string until_told(Ask ask)
    {
        std::string answer;
        test::wait_until("there is an answer", [&] {
            answer = ask();
            return status_of(answer) != 503 && status_of(answer) != 409;
        });
        return answer;
    }
    std::uint16_t port() const noexcept { return port_; }
    Process& process() noexcept { return process_; }

private:
    std::string ask(const std::string& request) const
    {
        RawClient client{port_, static_cast<int>(test::wait_limit().count())};
        client.send(request);
        return client.read_answer();
    }

    Process process_;
    std::uint16_t port_ = 0;
};

class PostgresServed : public testing::Test {
protected:
    static test::PostgresServer& server()
    {
        static test::PostgresServer one{{.durable = true}};
        return one;
    }
    Exited command(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.end(), {"--database", schema_.url()});
        return run(scratch_.path(), std::move(arguments));
    }

    Scratch scratch_;
    test::PostgresSchema schema_{server()};
};

TEST_F(PostgresServed, ThreeProcessesAndEightyRacersMakeOneClient)
{
    constexpr std::size_t racers = 80;
    const std::string url = schema_.url("umavez_connections=8");
    std::vector<std::unique_ptr<Served>> servers;
    for (int i = 0; i < 3; ++i) servers.push_back(std::make_unique<Served>(scratch_.path(), url));
    std::vector<std::string> answers(racers);
    std::atomic<bool> was_unsure = false;
    std::latch connected{racers};
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < racers; ++i) {
            threads.emplace_back([&, i] {
                RawClient client{
                    servers[i % servers.size()]->port(),
                    static_cast<int>(test::wait_limit().count())
                };
                connected.arrive_and_wait();
                const auto is_told = [&] {
                    client.send(post_text("/api/v1/clientes", "race", joao));
                    answers[i] = client.read_answer();
                    if (is_unsure(answers[i])) was_unsure = true;
                    return status_of(answers[i]) != 503;
                };
                static_cast<void>(test::is_met("there is an answer but 503", is_told));
            });
        }
    }

    std::size_t created = 0;
    for (const std::string& answer : answers) {
        const int status = status_of(answer);
        created += status == 201 ? 1 : 0;
        EXPECT_THAT(status, testing::AnyOf(201, 200, 409)) << answer;
        if (status != 409) {
            EXPECT_THAT(body_of(answer), HasSubstr("\"id\":1"));
        }
    }
    // None where the one that made it was told that nobody knows.
    EXPECT_TRUE(created == 1 || (created == 0 && was_unsure)) << created;
    for (const auto& one : servers) {
        const std::string again =
            Served::until_told([&] { return one->post("/api/v1/clientes", "race", joao); });
        EXPECT_EQ(status_of(again), 200) << again;
        EXPECT_THAT(body_of(again), HasSubstr("\"id\":1"));
    }
    const std::string all = Served::until_told([&] { return servers[0]->get("/api/v1/clientes"); });
    EXPECT_EQ(status_of(all), 200);
    EXPECT_THAT(all, Not(HasSubstr("\"id\":2")));
}

TEST_F(PostgresServed, WorkersStandBesideServersThatHaveNone)
{
    Process server{
        scratch_.path(),
        {"serve", "--listen", "127.0.0.1:0", "--no-worker", "--database", schema_.url()}
    };
    server.wait_for_error_output("\"event\":\"listening\"");
    Process worker{scratch_.path(), {"worker", "--database", schema_.url()}};
    worker.wait_for_error_output("\"event\":\"working\"");

    worker.signal(SIGTERM);
    server.signal(SIGTERM);

    const Exited ended = worker.wait_for_exit();
    EXPECT_EQ(ended.code, 0);
    EXPECT_THAT(ended.err, Not(HasSubstr("worker_trouble")));
    EXPECT_EQ(server.wait_for_exit().code, 0);
}

TEST_F(PostgresServed, OperatorsCommandsWorkBesideTheServer)
{
    const Exited migrated = command({"migrate"});
    EXPECT_EQ(migrated.code, 0) << migrated.err;
    EXPECT_THAT(migrated.out, HasSubstr("umavez 2 of 2"));
    const Served served{scratch_.path(), schema_.url()};
    const std::string made =
        Served::until_told([&] { return served.post("/api/v1/clientes", "k1", joao); });
    ASSERT_EQ(status_of(made), 201);

    const Exited records = command({"records", "--json"});
    const Exited story = command({"explain", "k1"});
    const Exited swept = command({"sweep"});
    const Exited status = command({"migrate", "--status"});
    const Exited backup = command({"backup", "copy.db"});

    EXPECT_EQ(records.code, 0) << records.err;
    EXPECT_THAT(records.out, HasSubstr("\"k1\""));
    EXPECT_EQ(story.code, 0) << story.err;
    EXPECT_THAT(story.out, HasSubstr("executed"));
    EXPECT_EQ(swept.code, 0) << swept.err;
    EXPECT_EQ(status.code, 0) << status.err;
    EXPECT_THAT(status.out, HasSubstr("propostas 1 of 1"));
    EXPECT_NE(backup.code, 0);
    EXPECT_EQ(status_of(Served::until_told([&] { return served.get("/readyz"); })), 200);
}

TEST_F(PostgresServed, StoreThatIsDownIs503WithRetryAfterWithinASecond)
{
    test::PostgresServer own{{.durable = true}};
    const Served served{scratch_.path(), own.url()};
    const auto known = [&] { return served.post("/api/v1/clientes", "k1", joao); };
    ASSERT_EQ(status_of(Served::until_told(known)), 201);

    // One that is so quick is enough: that a machine stood still says nothing of the program.
    test::wait_until("the answer comes within a second and a half", [&] {
        own.kill();
        const auto began = std::chrono::steady_clock::now();
        const std::string down = served.post("/api/v1/clientes", "k2", joao);
        const auto took = std::chrono::steady_clock::now() - began;
        own.start();
        const std::string back = Served::until_told(known);

        EXPECT_EQ(status_of(down), 503) << down;
        EXPECT_THAT(down, HasSubstr("Retry-After: "));
        EXPECT_EQ(status_of(back), 200) << back;
        return took < std::chrono::milliseconds{1500};
    });
}

TEST_F(PostgresServed, WrongAddressIsToldWithoutThePassword)
{
    const Exited refused =
        run(scratch_.path(),
            {"serve", "--listen", "127.0.0.1:0", "--database", "postgres://u:s3cret@127.0.0.1:1/x"}
        );

    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("postgres://u@127.0.0.1:1/x"));
    EXPECT_THAT(refused.err, Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace umavez::functional
