#pragma once

// RawClient: bytes to a server and bytes back, for tests. A wait ends with an event or with its
// deadline, which ends the case. Confined to its thread.

#include "support/wait.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace umavez::http {

class RawClient {
public:
    explicit RawClient(
        std::uint16_t port, std::chrono::seconds::rep deadline_seconds = test::wait_limit().count()
    )
    {
        socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const timeval deadline{.tv_sec = deadline_seconds, .tv_usec = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
        ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof deadline);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            const int reason = errno;
            ::close(socket_);
            throw std::runtime_error(std::string{"connect: "} + std::strerror(reason));
        }
    }
    ~RawClient() { ::close(socket_); }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    // False if the server has closed.
    bool send(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;  // the process was stopped, and goes on
            if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
                throw test::WaitNotMet{test::not_met("the server takes what is sent")};
            }
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    int handle() const noexcept { return socket_; }

    // Tells the server that nothing more will come.
    void finish_sending() { ::shutdown(socket_, SHUT_WR); }

    // One answer with its body, or what there was when the server closed.
    std::string read_answer()
    {
        while (arrived_.find("\r\n\r\n") == std::string::npos) {
            if (!read_some()) return take(arrived_.size());
        }
        const std::size_t head = arrived_.find("\r\n\r\n") + 4;
        const std::string_view name = "Content-Length: ";
        const std::size_t field = std::string_view{arrived_}.substr(0, head).find(name);
        const std::size_t body =
            field == std::string::npos ? 0 : std::stoul(arrived_.substr(field + name.size()));
        while (arrived_.size() < head + body) {
            if (!read_some()) break;
        }
        return take(std::min(arrived_.size(), head + body));
    }

    // Everything until the server closes.
    std::string read_all()
    {
        while (read_some()) {
        }
        return take(arrived_.size());
    }

private:
    bool read_some()
    {
        char bytes[4096];
        ssize_t got = -1;
        do {
            got = ::recv(socket_, bytes, sizeof bytes, 0);
        } while (got < 0 && errno == EINTR);  // the process was stopped, and goes on
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            throw test::WaitNotMet{test::not_met("the server answers; so far: " + arrived_)};
        }
        if (got <= 0) return false;
        arrived_.append(bytes, static_cast<std::size_t>(got));
        return true;
    }

    std::string take(std::size_t bytes)
    {
        std::string taken = arrived_.substr(0, bytes);
        arrived_.erase(0, bytes);
        return taken;
    }

    int socket_ = -1;
    std::string arrived_;
};

// 0 where the answer has no status line.
inline int status_of(std::string_view answer)
{
    if (!answer.starts_with("HTTP/1.1 ") || answer.size() < 12) return 0;
    return std::stoi(std::string{answer.substr(9, 3)});
}

inline std::string body_of(std::string_view answer)
{
    const std::size_t end = answer.find("\r\n\r\n");
    return end == std::string_view::npos ? std::string{} : std::string{answer.substr(end + 4)};
}

}  // namespace umavez::http
