#pragma once

// Socket: a connection to a Redis server, TCP or Unix, every step with a deadline.
//
// It tells how many bytes were handed to the kernel, so that whoever sends commands knows which of
// them the server cannot have seen whole. Confined to its thread.

#include "store/redis/redis_url.hpp"

#include <umavez/result.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace umavez {

using Deadline = std::chrono::steady_clock::time_point;

class Socket {
public:
    Socket() noexcept = default;
    Socket(Socket&& other) noexcept;
    Socket& operator=(Socket&& other) noexcept;
    ~Socket() { close(); }

    // The error is the reason alone: "Connection refused". Names are resolved without a deadline.
    static Result<Socket> connect(const RedisUrl& url, Deadline deadline);

    bool is_open() const noexcept { return fd_ >= 0; }
    void close() noexcept;

    // True: the other side has closed, or says something nobody asked for.
    bool is_stale() const noexcept;

    struct Sent {
        std::size_t bytes = 0;  // what the kernel took
        std::string trouble;    // empty: all of it
    };
    Sent send(std::string_view bytes, Deadline deadline);

    // At least one byte.
    Result<std::size_t> receive(char* buffer, std::size_t size, Deadline deadline);

private:
    explicit Socket(int fd) noexcept : fd_(fd) {}
    // Empty: ready.
    std::string wait_for(short events, Deadline deadline) const;

    int fd_ = -1;
};

}  // namespace umavez
