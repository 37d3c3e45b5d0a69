#include "support/text_cutter.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace umavez::test {
namespace {

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

bool send_all(int socket, const std::string& bytes)
{
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count =
            ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) return false;
        sent += static_cast<std::size_t>(count);
    }
    return true;
}

// A cut is a reset: the other side knows at once.
void cut(int socket)
{
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(socket);
}

}  // namespace

TextCutter::TextCutter(std::uint16_t server_port) : server_port_(server_port)
{
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const bool listens =
        ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
        ::listen(listener_, 64) == 0 &&
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (!listens || ::pipe2(wake_, O_CLOEXEC) != 0)
        throw std::runtime_error("the proxy cannot listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread{[this] { loop(); }};
}

TextCutter::~TextCutter()
{
    ::close(wake_[1]);
    thread_.join();
    ::close(wake_[0]);
    ::close(listener_);
    for (const Pair& pair : pairs_) {
        ::close(pair.client);
        ::close(pair.server);
    }
}

void TextCutter::arm(Fault fault, std::string text)
{
    const std::lock_guard guard{mutex_};
    fault_ = fault;
    text_ = std::move(text);
}

bool TextCutter::strikes(Fault fault, const std::string& bytes)
{
    const std::lock_guard guard{mutex_};
    if (fault_ != fault || bytes.find(text_) == std::string::npos) return false;
    fault_ = Fault::none;
    ++strikes_;
    return true;
}

void TextCutter::accept_one()
{
    Pair pair;
    pair.client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    pair.server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(server_port_);
    if (::connect(pair.server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        cut(pair.client);
        ::close(pair.server);
        return;
    }
    const int on = 1;
    ::setsockopt(pair.client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(pair.server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pairs_.push_back(pair);
}

bool TextCutter::pass(Pair& pair, bool from_server)
{
    std::string bytes(64 * 1024, '\0');
    const ssize_t count =
        ::recv(from_server ? pair.server : pair.client, bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    bytes.resize(static_cast<std::size_t>(count));
    if (swallows_) return true;
    if (!from_server) {
        if (strikes(Fault::cut_request, bytes)) return false;
        return send_all(pair.server, bytes);
    }
    if (strikes(Fault::cut_answer, bytes)) return false;
    // The delay is for everybody: one thread is enough for a test.
    if (const int wait = delay_; wait > 0) {
        pollfd end{.fd = wake_[0], .events = POLLIN, .revents = 0};
        ::poll(&end, 1, wait);
    }
    if (!send_all(pair.client, bytes)) return false;
    if (strikes(Fault::half_close, bytes)) ::shutdown(pair.client, SHUT_WR);
    return true;
}

void TextCutter::loop()
{
    while (true) {
        std::vector<pollfd> watched = {
            {.fd = wake_[0], .events = POLLIN, .revents = 0},
            {.fd = listener_, .events = POLLIN, .revents = 0},
        };
        for (const Pair& pair : pairs_) {
            watched.push_back({.fd = pair.client, .events = POLLIN, .revents = 0});
            watched.push_back({.fd = pair.server, .events = POLLIN, .revents = 0});
        }
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
        if (watched[0].revents != 0) return;
        std::vector<Pair> left;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            Pair pair = pairs_[i];
            const bool is_alive = (watched[2 + 2 * i].revents == 0 || pass(pair, false)) &&
                                  (watched[3 + 2 * i].revents == 0 || pass(pair, true));
            if (is_alive) {
                left.push_back(pair);
            } else {
                cut(pair.client);
                cut(pair.server);
            }
        }
        pairs_.swap(left);
        if (watched[1].revents != 0) accept_one();
    }
}

}  // namespace umavez::test
