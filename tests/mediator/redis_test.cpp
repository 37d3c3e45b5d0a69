// The mediator on a private Redis server, from several processes.

#include "mediator/orders.hpp"
#include "support/redis_server.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace umavez::orders {
namespace {

// A process of this program, forked before there are threads. It tells its parent numbers, in
// order.
class Child {
public:
    using Tell = std::function<void(int)>;
    // `hear` blocks until the parent says go().
    using Body = std::function<void(const Tell& tell, const std::function<void()>& hear)>;

    explicit Child(const Body& body)
    {
        if (::pipe(up_.data()) != 0 || ::pipe(down_.data()) != 0) throw std::runtime_error{"pipe"};
        pid_ = ::fork();
        if (pid_ < 0) throw std::runtime_error{"fork"};
        if (pid_ > 0) return;
        const Tell tell = [this](int number) {
            if (::write(up_[1], &number, sizeof number) != sizeof number) ::_exit(3);
        };
        const auto hear = [this] {
            char go = 0;
            if (::read(down_[0], &go, 1) != 1) ::_exit(4);
        };
        try {
            body(tell, hear);
        } catch (...) {
            ::_exit(5);
        }
        ::_exit(0);
    }
    ~Child()
    {
        kill();
        for (const int end : {up_[0], up_[1], down_[0], down_[1]}) ::close(end);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    void go() const { ASSERT_EQ(::write(down_[1], "g", 1), 1); }
    int hear() const
    {
        pollfd waiting{.fd = up_[0], .events = POLLIN, .revents = 0};
        int number = -1;
        const int limit = static_cast<int>(test::wait_limit().count()) * 1000;
        const bool is_there = ::poll(&waiting, 1, limit) == 1;
        if (!is_there) throw test::WaitNotMet{test::not_met("a child says something")};
        if (::read(up_[0], &number, sizeof number) != sizeof number) return -1;
        return number;
    }
    void kill()
    {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

private:
    std::array<int, 2> up_{};
    std::array<int, 2> down_{};
    pid_t pid_ = -1;
};

// Where no stall of the machine is a server that does not answer.
std::string patient_url(const test::RedisServer& server, const std::string& more = {})
{
    return server.tcp_url() + "?connect_timeout=3600s&answer_timeout=3600s" + more;
}

// Counts runs where all processes see them.
int count_run(const test::RedisServer& server)
{
    return std::stoi(server.command({"INCR", "runs"}));
}

TEST(MediatorOnRedis, OfThreeProcessesWithManyThreadsOneRunsTheHandler)
{
    constexpr int threads_each = 16;
    const test::RedisServer server;
    const Child::Body body = [&server](const Child::Tell& tell, const std::function<void()>& hear) {
        MediatorBuilder builder;
        builder.redis_cache(patient_url(server));
        builder.handle<CreateOrder>(
            [&server](const CreateOrder&) { return Order{count_run(server), ""}; }, {.wait = 1h}
        );
        const auto mediator = must_open(builder);
        tell(0);
        hear();
        std::array<int, threads_each> ids{};
        {
            std::vector<std::jthread> threads;
            for (int& id : ids) {
                threads.emplace_back([&mediator, &id] {
                    const auto sent = mediator->send(order("k"));
                    id = sent ? static_cast<int>(sent->id) : -2;
                });
            }
        }
        for (const int id : ids) tell(id);
    };
    std::array<std::unique_ptr<Child>, 3> children;
    for (auto& child : children) child = std::make_unique<Child>(body);
    for (const auto& child : children) ASSERT_EQ(child->hear(), 0);
    for (const auto& child : children) child->go();

    for (const auto& child : children) {
        for (int i = 0; i < threads_each; ++i) EXPECT_EQ(child->hear(), 1);
    }
    EXPECT_EQ(server.command({"GET", "runs"}), "1");
}

TEST(MediatorOnRedis, AKilledProcessFreesItsKeyAfterTheLease)
{
    const test::RedisServer server;
    // A heartbeat comes after a third of it, and may be late by nearly two thirds.
    const CommandOptions options{.lease = 9s, .wait = 1h};
    Child owner{[&](const Child::Tell& tell, const std::function<void()>& hear) {
        MediatorBuilder builder;
        builder.redis_cache(patient_url(server));
        builder.handle<CreateOrder>(
            [&](const CreateOrder&) {
                tell(count_run(server));
                hear();  // which never comes
                return Order{};
            },
            options
        );
        static_cast<void>(send_patiently(*must_open(builder), order("k")));
    }};
    ASSERT_EQ(owner.hear(), 1);
    MediatorBuilder builder;
    builder.redis_cache(patient_url(server));
    builder.handle<CreateOrder>(
        [&server](const CreateOrder&, HandlerContext& context) {
            EXPECT_GE(context.attempts(), 2u);
            return Order{count_run(server), ""};
        },
        options
    );
    const auto mediator = must_open(builder);
    const RecordId id{
        *TenantId::parse("default"), *Operation::parse("create_order"), *Key::parse("k")
    };
    const auto expiry = [&] {
        return must(mediator->engine().explain(id)).record.value().processing_expires_at.value();
    };
    const Instant of_claim = expiry();
    test::wait_until("a heartbeat keeps the key", [&] { return expiry() > of_claim; });
    EXPECT_EQ(mediator->send(order("k"), {.wait = 1ms}).error().code, SendErrc::in_progress);

    owner.kill();
    const auto sent = send_patiently(*mediator, order("k"));

    ASSERT_TRUE(sent) << sent.error().detail;
    EXPECT_EQ(sent->id, 2);
    EXPECT_GE(mediator->stats()[0].takeovers, 1u);
}

TEST(MediatorOnRedis, NamesBeginWithIdempotencyAndShowNoKey)
{
    const test::RedisServer server;
    MediatorBuilder builder;
    builder.redis_cache("localhost:" + std::to_string(server.port()));
    builder.handle<CreateOrder>([](const CreateOrder&) { return Order{1, ""}; });
    const auto mediator = must_open(builder);

    EXPECT_TRUE(mediator->send(order("my-secret-key")));

    EXPECT_EQ(
        server.command({"EVAL", "return #redis.call('KEYS', 'idempotency:{*}:r:*')", "0"}), "1"
    );
    EXPECT_EQ(server.command({"EVAL", "return #redis.call('KEYS', '*secret*')", "0"}), "0");
    EXPECT_EQ(server.command({"EVAL", "return #redis.call('KEYS', 'umavez:*')", "0"}), "0");
}

TEST(MediatorOnRedis, AServerThatIsAwayIsUnavailableAndNothingRuns)
{
    test::RedisServer server;
    int runs = 0;
    MediatorBuilder builder;
    builder.redis_cache(patient_url(server));
    builder.handle<CreateOrder>([&runs](const CreateOrder&) { return Order{++runs, ""}; });
    const auto mediator = must_open(builder);
    server.kill(SIGKILL);

    const auto sent = mediator->send(order("k"));

    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, SendErrc::unavailable);
    EXPECT_EQ(runs, 0);
    server.start();
    test::wait_until("the server is found again", [&] {
        return mediator->send(order("k")).has_value();
    });
    EXPECT_EQ(runs, 1);
}

TEST(MediatorOnRedis, ARemarkIsPartOfTheStory)
{
    const test::RedisServer server;
    MediatorBuilder builder;
    builder.redis_cache(patient_url(server));
    builder.handle<CreateOrder>([](const CreateOrder&) { return Order{1, ""}; });
    const auto mediator = must_open(builder);
    EXPECT_TRUE(mediator->send(order("k")));
    const RecordId id{
        *TenantId::parse("default"), *Operation::parse("create_order"), *Key::parse("k")
    };

    mediator->engine().remark(id, "looked at by hand");

    test::wait_until("the story ends with the remark", [&] {
        return must(mediator->engine().explain(id)).timeline.back().detail == "looked at by hand";
    });
}

TEST(MediatorOnRedis, AnAddressThatIsNoneIsNamed)
{
    MediatorBuilder builder;
    builder.redis_cache("localhost:notaport");

    const auto opened = builder.open();

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Errc::misconfigured);
}

}  // namespace
}  // namespace umavez::orders
