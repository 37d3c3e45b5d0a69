#pragma once

// A port of loopback for a server that is started in a moment. It is below those that the kernel gives out
// (from 32768 on), so that nobody gets it by chance before the server has it, or while the server is down.
// Thread-safe.

#include <arpa/inet.h>
#include <cstdint>
#include <netinet/in.h>
#include <random>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace umavez::test {

inline std::uint16_t find_free_port()
{
    std::random_device dice;
    std::uniform_int_distribution<unsigned> ports{10'000, 32'767};
    for (int i = 0; i < 1000; ++i) {
        const auto port = static_cast<std::uint16_t>(ports(dice));
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        const bool is_bound =
            ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
        ::close(socket);
        if (is_bound) return port;
    }
    throw std::runtime_error("no free port on loopback");
}

}  // namespace umavez::test
