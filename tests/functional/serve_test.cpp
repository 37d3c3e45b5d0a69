// `umavez serve` from outside: the built program, a real port, real signals.

#include "functional/process.hpp"
#include "functional/scratch.hpp"
#include "http/raw_client.hpp"
#include "operators/control_socket.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

namespace umavez::functional {
namespace {

using http::body_of;
using http::RawClient;
using http::status_of;
using testing::HasSubstr;

class ServeTest : public testing::Test {
protected:
    // Starts a server on any free port and waits until it says which.
    std::unique_ptr<Process> serve(std::vector<std::string> more = {})
    {
        std::vector<std::string> arguments{"serve", "--listen", "127.0.0.1:0"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        auto process = std::make_unique<Process>(scratch_.path(), arguments);
        const std::string& log = process->wait_for_error_output("\"event\":\"listening\"");
        process->wait_for_error_output("\"pid\":");
        const std::string_view name = "\"port\":";
        port_ = static_cast<std::uint16_t>(std::stoi(log.substr(log.find(name) + name.size())));
        return process;
    }

    std::string get(const std::string& path) const
    {
        RawClient client{port_, deadline()};
        client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        return client.read_all();
    }
    static int deadline() { return static_cast<int>(test::wait_limit().count()); }

    // What was found counts for a second, and a store that is slow for two is not ready.
    void wait_for_readiness(int status, const std::string& text = {}) const
    {
        test::wait_until("/readyz gives " + std::to_string(status) + " " + text, [&] {
            const std::string answer = get("/readyz");
            return status_of(answer) == status && answer.find(text) != std::string::npos;
        });
    }

    Scratch scratch_;
    std::uint16_t port_ = 0;
};

TEST_F(ServeTest, AHangUpEndsNothing)
{
    const auto server = serve();

    server->signal(SIGHUP);
    server->wait_for_error_output("nothing_to_reload");

    EXPECT_EQ(body_of(get("/healthz")), "ok\n");
    server->signal(SIGTERM);
    EXPECT_EQ(server->wait_for_exit().code, 0);
}

TEST_F(ServeTest, AWorkerHasAFileForItself)
{
    const auto server = serve();
    const Exited refused = run(scratch_.path(), {"worker"});
    server->signal(SIGTERM);
    EXPECT_EQ(server->wait_for_exit().code, 0);

    Process worker{scratch_.path(), {"worker"}};
    worker.wait_for_error_output("\"event\":\"working\"");
    worker.signal(SIGTERM);

    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("postgres"));
    EXPECT_EQ(worker.wait_for_exit().code, 0);
}

TEST_F(ServeTest, ACertificateThatIsNotThereIsNamed)
{
    const Exited exited =
        run(scratch_.path(),
            {"serve", "--listen", "127.0.0.1:0", "--tls-cert", "no.pem", "--tls-key", "no.key"});

    EXPECT_NE(exited.code, 0);
    EXPECT_THAT(exited.err, HasSubstr("tls.cert: no.pem: cannot be read: No such file"));
}

TEST_F(ServeTest, AnswersHealthReadinessAndMetrics)
{
    const auto server = serve();

    EXPECT_EQ(body_of(get("/healthz")), "ok\n");
    wait_for_readiness(200);
    test::wait_until("the store is up", [&] {
        return get("/metrics").find("umavez_store_up 1\n") != std::string::npos;
    });
    const std::string metrics = get("/metrics");
    EXPECT_THAT(metrics, HasSubstr("Content-Type: text/plain; version=0.0.4"));
    EXPECT_THAT(metrics, HasSubstr("umavez_build_info{version="));
    EXPECT_THAT(metrics, HasSubstr("umavez_lane_batches_total"));
    EXPECT_THAT(body_of(get("/")), HasSubstr("\"name\":\"umavez\""));
}

TEST_F(ServeTest, ErrorsAreProblemsWithARequestId)
{
    const auto server = serve();

    const std::string missing = get("/nothing");
    EXPECT_EQ(status_of(missing), 404);
    EXPECT_THAT(missing, HasSubstr("Content-Type: application/problem+json\r\n"));
    EXPECT_THAT(missing, HasSubstr("X-Request-Id: "));
    EXPECT_THAT(missing, HasSubstr("\"type\":\"/problems/not-found\""));

    RawClient client{port_, deadline()};
    client.send("DELETE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string refused = client.read_answer();
    EXPECT_EQ(status_of(refused), 405);
    EXPECT_THAT(refused, HasSubstr("Allow: GET, HEAD\r\n"));
}

TEST_F(ServeTest, SigtermEndsItWithZeroAndClosesIdleConnections)
{
    for (const int number : {SIGTERM, SIGINT}) {
        const auto server = serve();
        RawClient idle{port_, deadline()};
        idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        idle.read_answer();

        server->signal(number);

        EXPECT_EQ(idle.read_all(), "");
        const Exited exited = server->wait_for_exit();
        EXPECT_EQ(exited.code, 0) << exited.err;
        EXPECT_THAT(exited.err, HasSubstr("\"event\":\"stopped\""));
    }
}

TEST_F(ServeTest, ASecondServerOnTheDatabaseIsRefusedAndTheFirstNamed)
{
    const auto first = serve();

    const Exited second = run(scratch_.path(), {"serve", "--listen", "127.0.0.1:0"});

    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(second.err, HasSubstr("process " + std::to_string(first->pid())));
    EXPECT_THAT(second.err, HasSubstr("several processes need PostgreSQL"));
    wait_for_readiness(200);
}

TEST_F(ServeTest, IsNotReadyWithoutItsDatabaseFile)
{
    const auto server = serve();
    const std::string path = scratch_.path() + "/umavez.db";
    wait_for_readiness(200);

    std::filesystem::rename(path, path + ".away");
    const std::string answer = get("/readyz");
    EXPECT_EQ(status_of(answer), 503);
    EXPECT_THAT(answer, HasSubstr("umavez.db was moved or deleted while it was open"));
    EXPECT_EQ(status_of(get("/readyz")), 503);

    std::filesystem::rename(path + ".away", path);
    wait_for_readiness(200);
}

TEST_F(ServeTest, IsNotReadyWithoutItsLockFile)
{
    const auto server = serve();
    std::filesystem::remove(scratch_.path() + "/umavez.db.lock");

    const std::string answer = get("/readyz");

    EXPECT_EQ(status_of(answer), 503);
    EXPECT_THAT(answer, HasSubstr("umavez.db.lock was deleted or replaced"));
    EXPECT_EQ(status_of(get("/healthz")), 200);
}

TEST_F(ServeTest, AHardLinkIsNoSecondDatabase)
{
    const auto first = serve();
    std::filesystem::create_hard_link(
        scratch_.path() + "/umavez.db", scratch_.path() + "/other.db"
    );

    const Exited second =
        run(scratch_.path(), {"serve", "--listen", "127.0.0.1:0", "--database", "sqlite:other.db"});

    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(second.err, HasSubstr("has 2 names (hard links)"));
}

TEST_F(ServeTest, AKilledServerLeavesNothingInTheWayOfTheNext)
{
    {
        const auto killed = serve();
        killed->signal(SIGKILL);
        EXPECT_EQ(killed->wait_for_exit().code, 128 + SIGKILL);
    }

    const auto next = serve();

    wait_for_readiness(200);
    EXPECT_EQ(operators::ask_control_socket(scratch_.path() + "/umavez.db.sock", "ping"), "pong");
}

TEST_F(ServeTest, TheControlSocketSweepsForTheCommandLine)
{
    const auto server = serve();

    const Exited swept = run(scratch_.path(), {"sweep", "--json"});

    EXPECT_EQ(swept.code, 0) << swept.err;
    EXPECT_EQ(swept.out, "{\"records\":0,\"audit_entries\":0}\n");
}

TEST_F(ServeTest, ATakenPortIsRefused)
{
    const auto server = serve();

    const Exited second = run(
        scratch_.path(),
        {"serve", "--listen", "127.0.0.1:" + std::to_string(port_), "--database", "sqlite::memory:"}
    );

    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(
        second.err, HasSubstr("Address already in use; choose another address with --listen")
    );
}

}  // namespace
}  // namespace umavez::functional
