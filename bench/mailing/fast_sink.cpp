#include "mailing/fast_sink.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace umavez::bench {

struct FastSink::Client {
    int socket;
    std::string arrived = {};
    bool is_in_data = false;
};

namespace {

constexpr std::string_view message_end = "\r\n.\r\n";

void say(int socket, std::string_view text)
{
    static_cast<void>(::send(socket, text.data(), text.size(), MSG_NOSIGNAL));
}

}  // namespace

FastSink::FastSink()
{
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ending_ = ::eventfd(0, EFD_CLOEXEC);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(listening_, 128) != 0 ||
        ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error("the sink cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread{[this] { serve_all(); }};
}

FastSink::~FastSink()
{
    const std::uint64_t one = 1;
    static_cast<void>(::write(ending_, &one, sizeof one));
    thread_.join();
    ::close(listening_);
    ::close(ending_);
}

std::string FastSink::url() const
{
    return "smtp://127.0.0.1:" + std::to_string(port_);
}

void FastSink::serve_all()
{
    std::vector<Client> clients;
    for (;;) {
        std::vector<pollfd> watched{
            {.fd = listening_, .events = POLLIN, .revents = 0},
            {.fd = ending_, .events = POLLIN, .revents = 0},
        };
        for (const Client& client : clients) watched.push_back({client.socket, POLLIN, 0});
        if (::poll(watched.data(), watched.size(), -1) < 0) continue;
        if (watched[1].revents != 0) break;
        for (std::size_t i = clients.size(); i-- > 0;) {
            if (watched[i + 2].revents == 0 || serve(clients[i])) continue;
            ::close(clients[i].socket);
            clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(i));
        }
        if (watched[0].revents == 0) continue;
        const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        const int yes = 1;
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        say(socket, "220 bench.example\r\n");
        clients.push_back({socket});
    }
    for (const Client& client : clients) ::close(client.socket);
}

bool FastSink::serve(Client& client)
{
    std::array<char, 65536> chunk;
    const ssize_t got = ::recv(client.socket, chunk.data(), chunk.size(), 0);
    if (got <= 0) return false;
    client.arrived.append(chunk.data(), static_cast<std::size_t>(got));
    for (;;) {
        const std::size_t end = client.arrived.find(client.is_in_data ? message_end : "\r\n");
        if (end == std::string::npos) return true;
        if (client.is_in_data) {
            bytes_ += end;
            ++taken_;
            client.arrived.erase(0, end + message_end.size());
            client.is_in_data = false;
            say(client.socket, "250 2.0.0 Ok: queued as BENCH\r\n");
            continue;
        }
        const std::string_view line{client.arrived.data(), end};
        client.is_in_data = line == "DATA";
        const bool is_quit = line == "QUIT";
        say(client.socket, client.is_in_data ? "354 go ahead\r\n" : "250 ok\r\n");
        client.arrived.erase(0, end + 2);
        if (is_quit) return false;
    }
}

}  // namespace umavez::bench
