#pragma once

// find_free_port(): a port of loopback for a server that is started in a moment. It is below those
// that the kernel gives out (from 32768 on), so that nobody gets it by chance before the server has
// it, or while the server is down. A socket with an abstract name keeps it from other tests for as
// long as this process lives. Throws where no port is free. Thread-safe.

#include <arpa/inet.h>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <netinet/in.h>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace umavez::test {

// False where another test has the port, or one of this process had it. The descriptor is left open:
// the name lasts as long as the process.
inline bool reserve_port(std::uint16_t port)
{
    const std::string name = "umavez-port-" + std::to_string(port);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    // It begins with a NUL (an abstract name): no file is made, and nothing is left after a kill.
    name.copy(address.sun_path + 1, name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0) return true;
    ::close(socket);
    return false;
}

inline bool is_free_port(std::uint16_t port)
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const bool is_bound =
        ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    return is_bound;
}

inline std::uint16_t draw_port()
{
    static std::random_device dice;
    static std::mutex mutex;
    const std::lock_guard guard{mutex};
    return static_cast<std::uint16_t>(std::uniform_int_distribution<unsigned>{10'000, 32'767}(dice)
    );
}

// Not kept from others: for whoever listens there at once.
inline std::uint16_t find_port_to_bind()
{
    for (int i = 0; i < 1000; ++i) {
        if (const std::uint16_t port = draw_port(); is_free_port(port)) return port;
    }
    throw std::runtime_error("no free port on loopback");
}

inline std::uint16_t find_free_port()
{
    for (int i = 0; i < 1000; ++i) {
        const std::uint16_t port = find_port_to_bind();
        if (reserve_port(port)) return port;
    }
    throw std::runtime_error("no free port on loopback");
}

}  // namespace umavez::test
