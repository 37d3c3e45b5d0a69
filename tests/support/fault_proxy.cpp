#include "support/fault_proxy.hpp"

#include "support/wait_limit.hpp"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace umavez::test {
namespace {

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

bool send_all(int fd, const char* bytes, std::size_t size)
{
    while (size > 0) {
        const ssize_t count = ::send(fd, bytes, size, MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace

FaultProxy::FaultProxy(std::uint16_t server_port) : server_port_(server_port)
{
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const bool listens =
        ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
        ::listen(listener_, 64) == 0 &&
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (!listens || wake_ < 0) throw std::runtime_error("the proxy cannot listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread{[this] { run(); }};
}

FaultProxy::~FaultProxy()
{
    {
        const std::lock_guard guard{mutex_};
        is_over_ = true;
    }
    wake();
    thread_.join();
    for (Pair& pair : pairs_) end(pair);
    ::close(listener_);
    ::close(wake_);
}

void FaultProxy::wake() const
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
}

void FaultProxy::strike_next(Fault fault)
{
    const std::lock_guard guard{mutex_};
    next_ = fault;
}

void FaultProxy::release()
{
    {
        const std::lock_guard guard{mutex_};
        is_releasing_ = true;
    }
    wake();
}

void FaultProxy::wait_until_released()
{
    std::unique_lock lock{mutex_};
    wait_until("what was held is let go", changed_, lock, [this] { return !is_releasing_; });
}

void FaultProxy::refuse(bool refuses)
{
    {
        const std::lock_guard guard{mutex_};
        refuses_ = refuses;
    }
    wake();
}

void FaultProxy::run()
{
    for (;;) {
        std::vector<pollfd> watched = {{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
        for (const Pair& pair : pairs_) {
            watched.push_back({pair.held.empty() ? pair.client : -1, POLLIN, 0});
            watched.push_back({pair.server, POLLIN, 0});
        }
        ::poll(watched.data(), watched.size(), -1);
        std::uint64_t ignored = 0;
        [[maybe_unused]] const ssize_t read_count = ::read(wake_, &ignored, sizeof ignored);
        bool refuses = false;
        {
            const std::lock_guard guard{mutex_};
            if (is_over_) return;
            refuses = refuses_;
        }
        let_go();
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            Pair& pair = pairs_[i];
            bool goes_on = !refuses;
            if (goes_on && watched[2 * i + 2].revents != 0) goes_on = pass_request(pair);
            if (goes_on && watched[2 * i + 3].revents != 0) {
                goes_on = pass_answer(pair);
                if (!goes_on) pair.held.clear();  // the server closed: nobody is left to hear it
            }
            if (!goes_on) end(pair);
        }
        std::erase_if(pairs_, [](const Pair& pair) {
            return pair.client < 0 && pair.held.empty();
        });
        if (watched[1].revents != 0) accept_one();
    }
}

void FaultProxy::accept_one()
{
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(server_port_);
    const std::lock_guard guard{mutex_};
    if (refuses_ ||
        ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(client);
        ::close(server);
        return;
    }
    pairs_.push_back({.client = client, .server = server, .held = {}});
}

bool FaultProxy::pass_request(Pair& pair)
{
    std::array<char, 65'536> buffer;
    const ssize_t count = ::recv(pair.client, buffer.data(), buffer.size(), 0);
    if (count <= 0) return false;
    Fault fault = Fault::none;
    {
        const std::lock_guard guard{mutex_};
        fault = std::exchange(next_, Fault::none);
    }
    const auto size = static_cast<std::size_t>(count);
    if (fault == Fault::lose_request) return false;
    if (fault == Fault::hold_request) {
        pair.held.assign(buffer.data(), size);
        return true;
    }
    pair.loses_answer = pair.loses_answer || fault == Fault::lose_answer;
    if (fault == Fault::half_close) ::shutdown(pair.client, SHUT_WR);
    return send_all(pair.server, buffer.data(), size);
}

bool FaultProxy::pass_answer(Pair& pair)
{
    std::array<char, 65'536> buffer;
    const ssize_t count = ::recv(pair.server, buffer.data(), buffer.size(), 0);
    if (count <= 0 || pair.loses_answer) return false;
    send_all(pair.client, buffer.data(), static_cast<std::size_t>(count));
    return true;
}

void FaultProxy::let_go()
{
    {
        const std::lock_guard guard{mutex_};
        if (!is_releasing_) return;
    }
    for (Pair& pair : pairs_) {
        if (pair.held.empty()) continue;
        send_all(pair.server, pair.held.data(), pair.held.size());
        // Until the server has closed or answered, its fate is open.
        ::shutdown(pair.server, SHUT_WR);
        std::array<char, 4096> buffer;
        while (::recv(pair.server, buffer.data(), buffer.size(), 0) > 0) {
        }
        pair.held.clear();
        end(pair);
    }
    {
        const std::lock_guard guard{mutex_};
        is_releasing_ = false;
    }
    changed_.notify_all();
}

void FaultProxy::end(Pair& pair)
{
    if (!pair.held.empty()) {  // only the sender's side is over: what it sent is still on its way
        if (pair.client >= 0) ::close(std::exchange(pair.client, -1));
        return;
    }
    if (pair.client >= 0) ::close(std::exchange(pair.client, -1));
    if (pair.server >= 0) ::close(std::exchange(pair.server, -1));
}

}  // namespace umavez::test
