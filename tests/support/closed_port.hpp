#pragma once

// ClosedPort: a port of loopback on which nobody listens, and nobody else can while it lives: whoever calls
// it is refused at once. Confined to the test.

#include <arpa/inet.h>
#include <cstdint>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace umavez::test {

class ClosedPort {
public:
    ClosedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const at = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket_, at, size) != 0 || ::getsockname(socket_, at, &size) != 0) {
            ::close(socket_);
            throw std::runtime_error("no port could be kept");
        }
        port_ = ntohs(address.sin_port);
    }
    ~ClosedPort() { ::close(socket_); }
    ClosedPort(const ClosedPort&) = delete;
    ClosedPort& operator=(const ClosedPort&) = delete;

    std::uint16_t port() const noexcept { return port_; }

private:
    const int socket_;
    std::uint16_t port_ = 0;
};

}  // namespace umavez::test
