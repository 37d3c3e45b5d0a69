#pragma once

// RedisServer: a private redis-server for one test program, in a folder of its own, on a Unix
// socket and on a free loopback port. It goes with its object, and dies with the thread that
// started it even if that never comes to a destructor. A server that cannot be started throws: a
// test without its server fails. Confined to the thread that made it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace umavez::test {

class RedisServer {
public:
    // `settings` as on the command line: {"--appendonly", "yes"}.
    explicit RedisServer(std::vector<std::string> settings = {});
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    void start();           // again, on the same folder and port
    void stop();            // SIGTERM: it writes what its settings tell it to write
    void kill(int signal);  // SIGKILL waits for the end; SIGSTOP and SIGCONT do not
    bool is_running() const noexcept { return pid_ > 0; }
    pid_t pid() const noexcept { return pid_; }

    std::uint16_t port() const noexcept { return port_; }
    std::string socket_url() const { return "redis+unix:" + socket_path(); }
    std::string tcp_url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
    std::string socket_path() const { return (folder_ / "s").string(); }

    // One command, and its reply as text; throws on an error reply unless it is asked for.
    std::string command(const std::vector<std::string>& words, bool may_fail = false) const;

private:
    std::vector<std::string> arguments() const;
    void wait_until_ready(int log);

    const std::vector<std::string> settings_;
    std::filesystem::path folder_;
    std::uint16_t port_ = 0;
    pid_t pid_ = -1;
    int log_ = -1;  // kept open and unread: the server must not meet a closed pipe
};

}  // namespace umavez::test
