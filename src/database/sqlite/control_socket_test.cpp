#include "database/sqlite/control_socket.hpp"

#include "database/sqlite/test_support.hpp"

#include <fstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace umavez {
namespace {

std::string echo(std::string_view line)
{
    return "heard " + std::string{line};
}

TEST(ControlSocket, AnswersOneLineWithOneLine)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const auto socket = ControlSocket::open(path, echo);
    ASSERT_TRUE(socket) << socket.error().detail;

    for (int i = 0; i < 3; ++i) EXPECT_EQ(*ask_control_socket(path, "ping"), "heard ping");

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
    EXPECT_EQ(*ask_control_socket(path, "ping"), "heard ping");
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
        ask_control_socket(path, std::string(65 * 1024, 'x')).error().code, Errc::invalid_argument
    );

    const int silent = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::connect(silent, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(silent);

    EXPECT_EQ(*ask_control_socket(path, "ping"), "heard ping");
}

TEST(ControlSocket, HandlerThatThrowsIsAnsweredAsAnError)
{
    const test::Directory directory;
    const std::string path = directory.file("test.db.sock");
    const auto socket = ControlSocket::open(path, [](std::string_view) -> std::string {
        throw std::runtime_error{"no"};
    });

    EXPECT_EQ(*ask_control_socket(path, "ping"), "error: no");
}

}  // namespace
}  // namespace umavez
