#include "operators/control_socket.hpp"

#include "database/sqlite/test_support.hpp"
#include "support/wait.hpp"

#include <atomic>
#include <ctime>
#include <deque>
#include <fstream>
#include <future>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace umavez::operators {
namespace test {

using umavez::test::Directory;
using umavez::test::is_met;
using umavez::test::wait_until;

// A peer that connects and says nothing.
class Connected {
public:
    explicit Connected(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0))
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(
            ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0
        );
    }
    ~Connected() { ::close(socket_); }
    Connected(const Connected&) = delete;
    Connected& operator=(const Connected&) = delete;

private:
    const int socket_;
};

}  // namespace test

namespace {

std::string echo(std::string_view line)
{
    return "heard " + std::string{line};
}

// Whoever is slow to send its line is cut off for its silence, and asks again.
std::string answer_to(const std::string& path, const std::string& line)
{
    std::string answer;
    test::wait_until("an answer at " + path, [&] {
        auto answered = ask_control_socket(path, line);
        if (answered) answer = *std::move(answered);
        return answered.has_value();
    });
    return answer;
}

TEST(ControlSocket, AnswersOneLineWithOneLine)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const auto socket = ControlSocket::open(path, echo);
    ASSERT_TRUE(socket) << socket.error().detail;

    for (int i = 0; i < 3; ++i) EXPECT_EQ(answer_to(path, "ping"), "heard ping");

    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST(ControlSocket, GoesWithItsOwner)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    ControlSocket::open(path, echo)->reset();

    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(ask_control_socket(path, "ping").error().code, Errc::store_unavailable);
}

TEST(ControlSocket, StaleOneIsReplaced)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const int stale = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(stale, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(stale);

    const auto socket = ControlSocket::open(path, echo);

    ASSERT_TRUE(socket) << socket.error().detail;
    EXPECT_EQ(answer_to(path, "ping"), "heard ping");
}

TEST(ControlSocket, FileInTheWayAndLongPathAreRefused)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    std::ofstream{path} << "precious";

    EXPECT_FALSE(ControlSocket::open(path, echo));
    EXPECT_TRUE(std::filesystem::exists(path));
    const auto too_long = ControlSocket::open(directory.file(std::string(200, 'x')), echo);
    ASSERT_FALSE(too_long);
    EXPECT_NE(too_long.error().detail.find("shorter path"), std::string::npos);
}

TEST(ControlSocket, SilentAndOverlongPeersAreCutOffWithoutHarm)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const auto socket = ControlSocket::open(path, echo);
    ASSERT_TRUE(socket);
    EXPECT_EQ(
        ask_control_socket(path, std::string(control_line_bytes_max + 1, 'x')).error().code,
        Errc::invalid_argument
    );

    test::Connected{path};

    EXPECT_EQ(answer_to(path, "ping"), "heard ping");
}

// Whoever answers 1 MiB to `resolve` must get it through, escaped twice.
TEST(ControlSocket, ALineMayCarryAnAnswer)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const auto socket = ControlSocket::open(path, [](std::string_view line) {
        return std::to_string(line.size());
    });
    ASSERT_TRUE(socket);

    EXPECT_EQ(answer_to(path, std::string(7 * 1024 * 1024, 'x')), std::to_string(7 * 1024 * 1024));
}

Duration cpu_time()
{
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::chrono::seconds{used.tv_sec} +
           std::chrono::duration_cast<Duration>(std::chrono::nanoseconds{used.tv_nsec});
}

TEST(ControlSocket, WithoutDescriptorsItWaitsInsteadOfSpinning)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const auto socket = ControlSocket::open(path, echo);
    ASSERT_TRUE(socket);
    // Sanitizers check each type once, and need descriptors for that: both ways it can end come first.
    EXPECT_FALSE(ask_control_socket(path, "ping", std::chrono::milliseconds{0}));
    EXPECT_EQ(answer_to(path, "ping"), "heard ping");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const int next = ::dup(0);
    ::close(next);
    // One more for the peer that asks, none for the one that answers.
    const rlimit tight{static_cast<rlim_t>(next) + 1, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
    const Duration used_before = cpu_time();
    constexpr auto patience = std::chrono::milliseconds{500};

    const auto unanswered = ask_control_socket(path, "ping", patience);
    const Duration used = cpu_time() - used_before;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);

    EXPECT_FALSE(unanswered);
    EXPECT_LT(used, patience / 2);
    EXPECT_EQ(answer_to(path, "ping"), "heard ping");
}

TEST(ControlSocket, SilentPeersDelayNobody)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const auto socket = ControlSocket::open(path, echo);
    ASSERT_TRUE(socket);

    // A busy machine delays some; silent peers would delay every one.
    test::wait_until("somebody is not delayed", [&] {
        const test::Connected first{path};
        const test::Connected second{path};
        const auto began = std::chrono::steady_clock::now();
        EXPECT_EQ(answer_to(path, "ping"), "heard ping");
        return std::chrono::steady_clock::now() - began < control_silence_max;
    });
}

TEST(ControlSocket, MoreSilentPeersThanThreadsAreCutOff)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const auto socket = ControlSocket::open(path, echo);
    ASSERT_TRUE(socket);
    std::deque<test::Connected> silent;
    for (std::size_t i = 0; i < 2 * control_threads; ++i) silent.emplace_back(path);

    EXPECT_EQ(answer_to(path, "ping"), "heard ping");
}

TEST(ControlSocket, LongWorkHoldsUpNobodyElse)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    std::atomic<bool> has_begun = false;
    std::promise<void> may_end;
    auto end = may_end.get_future().share();
    const auto socket = ControlSocket::open(path, [&has_begun, end](std::string_view line) {
        if (line == "long") {
            has_begun = true;
            end.wait();
        }
        return std::string{line};
    });
    ASSERT_TRUE(socket);
    auto slow = std::async(std::launch::async, [&path] { return answer_to(path, "long"); });
    const bool is_long = test::is_met("the long work", [&] { return has_begun.load(); });

    EXPECT_EQ(is_long ? answer_to(path, "short") : "", "short");

    may_end.set_value();
    EXPECT_EQ(slow.get(), "long");
}

TEST(ControlSocket, AnAnswerMayBeLongAndALateOneIsUnknown)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    std::promise<void> asked_late;
    auto late = asked_late.get_future().share();
    const auto socket = ControlSocket::open(path, [late](std::string_view line) {
        if (line == "late") late.wait();
        return std::string(1024 * 1024, 'x');
    });
    ASSERT_TRUE(socket);

    EXPECT_EQ(answer_to(path, "now").size(), 1024u * 1024u);
    const bool is_unknown = test::is_met("a line is taken, and its answer does not come", [&] {
        const auto none = ask_control_socket(path, "late", std::chrono::milliseconds{1});
        EXPECT_FALSE(none);
        return !none && none.error().code == Errc::store_unknown;
    });
    asked_late.set_value();
    EXPECT_TRUE(is_unknown);
}

TEST(ControlSocket, HandlerThatThrowsIsAnsweredAsAnError)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const auto socket = ControlSocket::open(path, [](std::string_view) -> std::string {
        throw std::runtime_error{"no"};
    });

    EXPECT_EQ(answer_to(path, "ping"), "error: no");
}

// A process that was stopped (SIGSTOP, a debugger) listens and takes nobody in.
TEST(ControlSocket, WhoFindsTheQueueFullIsToldInTime)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const auto* const at = reinterpret_cast<const sockaddr*>(&address);
    ASSERT_EQ(::bind(listener, at, sizeof address), 0);
    ASSERT_EQ(::listen(listener, 0), 0);
    std::vector<int> waiting;
    do {
        waiting.push_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    } while (::connect(waiting.back(), at, sizeof address) == 0 && waiting.size() < 100);

    auto asked = std::async(std::launch::async, [&path] {
        return ask_control_socket(path, "ping", std::chrono::milliseconds{50});
    });

    const bool is_told = test::is_met("whoever asks is told", asked);
    if (!is_told) ::close(listener);  // whoever waits is let go
    const auto answer = asked.get();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::store_unavailable);
    EXPECT_NE(answer.error().detail.find("it takes nobody in"), std::string::npos);
    for (const int each : waiting) ::close(each);
    if (is_told) ::close(listener);
}

}  // namespace
}  // namespace umavez::operators
