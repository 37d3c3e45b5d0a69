#include "support/http_receiver.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace umavez::test {
namespace {

std::string lower(std::string_view text)
{
    std::string lowered{text};
    std::ranges::transform(lowered, lowered.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return lowered;
}

void send_all(int socket, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

Received parse_head(std::string_view head)
{
    Received request;
    std::size_t end = head.find("\r\n");
    const std::string_view first = head.substr(0, end);
    const std::size_t blank = first.find(' ');
    request.method = first.substr(0, blank);
    request.target = first.substr(blank + 1, first.rfind(' ') - blank - 1);
    while (end + 2 < head.size()) {
        head.remove_prefix(end + 2);
        end = head.find("\r\n");
        const std::string_view line = head.substr(0, end);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) break;
        std::string_view value = line.substr(colon + 1);
        while (value.starts_with(' ')) value.remove_prefix(1);
        request.headers.emplace_back(lower(line.substr(0, colon)), std::string{value});
    }
    return request;
}

}  // namespace

std::string Received::header(std::string_view name) const
{
    const auto found =
        std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
    return found == headers.end() ? std::string{} : found->second;
}

HttpReceiver::HttpReceiver(React react, std::uint16_t port)
    : react_(std::move(react)), ending_(::eventfd(0, EFD_CLOEXEC))
{
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(listening_, 128) != 0 ||
        ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error("the receiver cannot listen");
    }
    port_ = ntohs(address.sin_port);
    accepting_ = std::jthread{[this] { accept_all(); }};
}

HttpReceiver::~HttpReceiver()
{
    const std::uint64_t one = 1;
    static_cast<void>(::write(ending_, &one, sizeof one));
    accepting_.join();
    connections_.clear();
    ::close(listening_);
    ::close(ending_);
}

std::string HttpReceiver::url(const std::string& path) const
{
    return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::vector<Received> HttpReceiver::received() const
{
    const std::lock_guard guard{mutex_};
    return received_;
}

bool HttpReceiver::wait_for(std::size_t count, std::chrono::seconds patience) const
{
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, patience, [&] { return received_.size() >= count; });
}

// False: the receiver ends.
bool HttpReceiver::wait_readable(int socket) const
{
    std::array<pollfd, 2> waiting{
        pollfd{.fd = socket, .events = POLLIN, .revents = 0},
        pollfd{.fd = ending_, .events = POLLIN, .revents = 0},
    };
    while (::poll(waiting.data(), waiting.size(), -1) < 0) {
    }
    return waiting[1].revents == 0;
}

void HttpReceiver::accept_all()
{
    while (wait_readable(listening_)) {
        const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket >= 0) connections_.emplace_back([this, socket] { serve(socket); });
    }
}

bool HttpReceiver::read_request(int socket, Received& request)
{
    std::string arrived;
    std::size_t needed = std::string::npos;
    while (arrived.size() < needed) {
        std::array<char, 4096> bytes{};
        if (!wait_readable(socket)) return false;
        const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
        if (got <= 0) return false;
        arrived.append(bytes.data(), static_cast<std::size_t>(got));
        const std::size_t head = arrived.find("\r\n\r\n");
        if (needed != std::string::npos || head == std::string::npos) continue;
        request = parse_head(std::string_view{arrived}.substr(0, head + 2));
        const std::string length = request.header("content-length");
        needed = head + 4 + (length.empty() ? 0 : std::stoul(length));
    }
    request.body = arrived.substr(arrived.find("\r\n\r\n") + 4);
    return true;
}

void HttpReceiver::serve(int socket)
{
    Received request;
    if (read_request(socket, request)) {
        {
            const std::lock_guard guard{mutex_};
            received_.push_back(request);
            changed_.notify_all();
        }
        const Reaction reaction = react_(request);
        if (reaction.kind == Reaction::Kind::hold) static_cast<void>(wait_readable(socket));
        const bool is_cut = reaction.kind == Reaction::Kind::cut;
        if (is_cut || reaction.kind == Reaction::Kind::answer) {
            const std::size_t promised = reaction.body.size() + (is_cut ? 100 : 0);
            send_all(
                socket,
                "HTTP/1.1 " + std::to_string(reaction.status) +
                    " Said\r\nContent-Length: " + std::to_string(promised) +
                    "\r\nConnection: close\r\n" + reaction.headers + "\r\n" + reaction.body
            );
        }
    }
    ::close(socket);
}

}  // namespace umavez::test
