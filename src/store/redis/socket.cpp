#include "store/redis/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace umavez {
namespace {

std::string reason(int error)
{
    return std::generic_category().message(error);
}

int open_socket(int family)
{
    return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int milliseconds_until(Deadline deadline)
{
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept
{
    if (this != &other) {
        close();
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

void Socket::close() noexcept
{
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<Socket> Socket::connect(const RedisUrl& url, Deadline deadline)
{
    const auto attempt = [&](int family, const sockaddr* address, socklen_t size
                         ) -> Result<Socket> {
        Socket made{open_socket(family)};
        if (!made.is_open()) return fail(Errc::store_unavailable, reason(errno));
        if (::connect(made.fd_, address, size) != 0) {
            if (errno != EINPROGRESS) return fail(Errc::store_unavailable, reason(errno));
            if (auto late = made.wait_for(POLLOUT, deadline); !late.empty()) {
                return fail(Errc::store_unavailable, "no connection in time");
            }
            int error = 0;
            socklen_t bytes = sizeof error;
            ::getsockopt(made.fd_, SOL_SOCKET, SO_ERROR, &error, &bytes);
            if (error != 0) return fail(Errc::store_unavailable, reason(error));
        }
        const int on = 1;
        if (family != AF_UNIX) ::setsockopt(made.fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return made;
    };
    if (!url.socket_path.empty()) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        url.socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
        return attempt(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const std::string port = std::to_string(url.port);
    if (const int error = ::getaddrinfo(url.host.c_str(), port.c_str(), &wanted, &list);
        error != 0) {
        return fail(Errc::store_unavailable, ::gai_strerror(error));
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned{list, &::freeaddrinfo};
    Result<Socket> last = fail(Errc::store_unavailable, "the host has no address");
    for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
        last = attempt(each->ai_family, each->ai_addr, each->ai_addrlen);
        if (last) break;
    }
    return last;
}

bool Socket::is_stale() const noexcept
{
    pollfd watched{.fd = fd_, .events = POLLIN | POLLRDHUP, .revents = 0};
    return ::poll(&watched, 1, 0) != 0;
}

Socket::Sent Socket::send(std::string_view bytes, Deadline deadline)
{
    Sent sent;
    while (sent.bytes < bytes.size()) {
        const ssize_t count =
            ::send(fd_, bytes.data() + sent.bytes, bytes.size() - sent.bytes, MSG_NOSIGNAL);
        if (count >= 0) {
            sent.bytes += static_cast<std::size_t>(count);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            sent.trouble = wait_for(POLLOUT, deadline);
        } else if (errno != EINTR) {
            sent.trouble = reason(errno);
        }
        if (!sent.trouble.empty()) break;
    }
    return sent;
}

Result<std::size_t> Socket::receive(char* buffer, std::size_t size, Deadline deadline)
{
    for (;;) {
        const ssize_t count = ::recv(fd_, buffer, size, 0);
        if (count > 0) return static_cast<std::size_t>(count);
        if (count == 0) return fail(Errc::store_unknown, "the server closed the connection");
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK)
            return fail(Errc::store_unknown, reason(errno));
        if (auto trouble = wait_for(POLLIN, deadline); !trouble.empty()) {
            return fail(Errc::store_unknown, std::move(trouble));
        }
    }
}

std::string Socket::wait_for(short events, Deadline deadline) const
{
    for (;;) {
        pollfd watched{.fd = fd_, .events = events, .revents = 0};
        const int ready = ::poll(&watched, 1, milliseconds_until(deadline));
        if (ready > 0) return {};
        if (ready == 0) return "no answer in time";
        if (errno != EINTR) return reason(errno);
    }
}

}  // namespace umavez
