#pragma once

// RabbitMqServer: a private RabbitMQ for one test program, in a folder of its own, on free ports of
// loopback.
//
// It takes about 8 seconds to start: one for the whole program. As root it runs as the user `rabbitmq`. It
// dies with the thread that started it, with its epmd, even if that never comes to a destructor. A server
// that cannot be started throws: a test without its server fails. Confined to the thread that made it.

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace umavez::test {

class RabbitMqServer {
public:
    // More lines of rabbitmq.conf: "max_message_size = 65536".
    explicit RabbitMqServer(std::vector<std::string> settings = {});
    ~RabbitMqServer();
    RabbitMqServer(const RabbitMqServer&) = delete;
    RabbitMqServer& operator=(const RabbitMqServer&) = delete;

    void start();  // again, on the same data and ports
    void stop();   // SIGTERM: in order
    void kill();   // SIGKILL
    void freeze(bool is_frozen
    ) const;  // SIGSTOP, or SIGCONT: connections stay, and nothing answers

    int port() const noexcept { return port_; }
    std::string url() const { return "amqp://guest:guest@127.0.0.1:" + std::to_string(port_); }

    // Runs an Erlang expression in the server: "application:which_applications()". Gives what it prints;
    // throws if it failed.
    std::string eval(const std::string& expression) const;

    // The memory alarm: publishers are blocked until it is taken back.
    void alarm(bool is_on) const;

private:
    std::vector<std::string> environment() const;
    pid_t spawn(const std::vector<std::string>& arguments, const std::string& log) const;
    void reap();

    std::filesystem::path folder_;
    int port_ = 0;
    int node_port_ = 0;
    int names_port_ = 0;  // of epmd
    pid_t pid_ = -1;
    pid_t names_pid_ = -1;
};

// One for the whole program, started by the first who asks.
RabbitMqServer& shared_rabbitmq();

}  // namespace umavez::test
