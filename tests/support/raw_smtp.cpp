#include "support/raw_smtp.hpp"

#include "support/wait_limit.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace umavez::test {
namespace {

constexpr std::string_view message_end = "\r\n.\r\n";

void send_all(int socket, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

}  // namespace

SmtpAction obliging(const SmtpEvent& event)
{
    if (event.step == "connect") return {.say = "220 raw.example ready\r\n"};
    if (event.step == "DATA") return {.say = "354 go ahead\r\n"};
    if (event.step == "body") return {};
    if (event.step == ".") return {.say = "250 2.0.0 Ok: queued as RAW1\r\n", .takes = true};
    if (event.step == "QUIT") return {.say = "221 bye\r\n", .then = SmtpAction::Then::close};
    if (event.step == "EHLO") return {.say = "250-raw.example\r\n250 8BITMIME\r\n"};
    return {.say = "250 ok\r\n"};
}

RawSmtp::RawSmtp(React react) : react_(std::move(react)), ending_(::eventfd(0, EFD_CLOEXEC))
{
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(listening_, 128) != 0 ||
        ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error("the server cannot listen");
    }
    port_ = ntohs(address.sin_port);
    accepting_ = std::jthread{[this] { accept_all(); }};
}

RawSmtp::~RawSmtp()
{
    const std::uint64_t one = 1;
    static_cast<void>(::write(ending_, &one, sizeof one));
    accepting_.join();
    connections_.clear();
    ::close(listening_);
    ::close(ending_);
}

std::vector<std::string> RawSmtp::taken() const
{
    const std::lock_guard guard{mutex_};
    return taken_;
}

std::vector<std::string> RawSmtp::steps() const
{
    const std::lock_guard guard{mutex_};
    return steps_;
}

std::size_t RawSmtp::connections() const
{
    const std::lock_guard guard{mutex_};
    return connected_;
}

bool RawSmtp::wait_for_step(std::string_view step) const
{
    std::unique_lock lock{mutex_};
    wait_until("the client comes to " + std::string{step}, changed_, lock, [&] {
        return std::ranges::find(steps_, step) != steps_.end();
    });
    return true;
}

// False: the server ends.
bool RawSmtp::wait_readable(int socket) const
{
    std::array<pollfd, 2> waiting{
        pollfd{.fd = socket, .events = POLLIN, .revents = 0},
        pollfd{.fd = ending_, .events = POLLIN, .revents = 0},
    };
    while (::poll(waiting.data(), waiting.size(), -1) < 0) {
    }
    return waiting[1].revents == 0;
}

void RawSmtp::accept_all()
{
    while (wait_readable(listening_)) {
        const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) continue;
        std::size_t number = 0;
        {
            const std::lock_guard guard{mutex_};
            number = ++connected_;
        }
        connections_.emplace_back([this, socket, number] {
            serve(socket, number);
            ::close(socket);
        });
    }
}

bool RawSmtp::read_more(int socket, std::string& arrived)
{
    std::array<char, 16384> bytes{};
    if (!wait_readable(socket)) return false;
    const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    arrived.append(bytes.data(), static_cast<std::size_t>(got));
    return true;
}

bool RawSmtp::perform(int socket, const SmtpEvent& event)
{
    const SmtpAction action = react_(event);
    {
        // Before the answer leaves: what the client was told, the record has.
        const std::lock_guard guard{mutex_};
        steps_.push_back(event.step);
        if (action.takes) taken_.push_back(event.line);
        changed_.notify_all();
    }
    send_all(socket, action.say);
    if (action.then == SmtpAction::Then::hold) {
        std::string ignored;
        while (read_more(socket, ignored)) ignored.clear();
    }
    return action.then == SmtpAction::Then::go_on;
}

void RawSmtp::serve(int socket, std::size_t connection)
{
    if (!perform(socket, {"connect", "", connection})) return;
    std::string arrived;
    for (;;) {
        const std::size_t end = arrived.find("\r\n");
        if (end == std::string::npos) {
            if (!read_more(socket, arrived)) return;
            continue;
        }
        const std::string line = arrived.substr(0, end);
        arrived.erase(0, end + 2);
        const std::string step = line.substr(0, 4);
        if (!perform(socket, {step, line, connection})) return;
        if (step != "DATA") continue;
        // Until its reaction says otherwise, every DATA is agreed to.
        if (arrived.empty() && !read_more(socket, arrived)) return;
        if (arrived.starts_with("RSET") || arrived.starts_with("QUIT")) continue;
        if (!perform(socket, {"body", arrived, connection})) return;
        std::size_t end_at = arrived.find(message_end);
        while (end_at == std::string::npos) {
            const std::size_t seen = arrived.size() - std::min(arrived.size(), message_end.size());
            if (!read_more(socket, arrived)) return;
            end_at = arrived.find(message_end, seen);
        }
        const std::size_t size = end_at + message_end.size();
        const std::string message = arrived.substr(0, size);
        arrived.erase(0, size);
        if (!perform(socket, {".", message, connection})) return;
    }
}

}  // namespace umavez::test
