#include "http/client.hpp"

#include "base/shown.hpp"
#include "base/without_sigpipe.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace umavez::http {
namespace {

namespace beast = boost::beast;
using Steady = std::chrono::steady_clock;

constexpr std::uint64_t answer_bytes_max = 64 * 1024 * 1024;

// A connected socket whose every call ends at the deadline, with TLS on top where it is wanted.
class Wire {
public:
    Wire(int socket, Steady::time_point deadline) noexcept : socket_(socket), deadline_(deadline) {}
    ~Wire()
    {
        SSL_free(tls_);
        SSL_CTX_free(context_);
        ::close(socket_);
    }
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    bool connect(const addrinfo& address)
    {
        if (::connect(socket_, address.ai_addr, address.ai_addrlen) == 0) return true;
        if (errno != EINPROGRESS || !wait_for(POLLOUT)) return false;
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
        errno = error;
        return error == 0;
    }

    // False: the reason is in trouble().
    bool start_tls(const std::string& host)
    {
        context_ = SSL_CTX_new(TLS_client_method());
        if (context_ == nullptr) return false;
        SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
        SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
        if (SSL_CTX_set_default_verify_paths(context_) != 1) return false;
        tls_ = SSL_new(context_);
        if (tls_ == nullptr || !expect_host(host)) return false;
        if (SSL_set_fd(tls_, socket_) != 1) return false;
        return retry([this] { return SSL_connect(tls_); }) == 1;
    }

    bool write(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const int size =
                tls_ != nullptr
                    ? retry([&] {
                          return SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()));
                      })
                    : retry_plain(POLLOUT, [&] {
                          return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
                      });
            if (size <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(size));
        }
        return true;
    }

    // 0: the other side is done. Below: failed.
    int read(char* into, std::size_t size)
    {
        if (tls_ == nullptr) {
            return retry_plain(POLLIN, [&] { return ::recv(socket_, into, size, 0); });
        }
        const int got = retry([&] { return SSL_read(tls_, into, static_cast<int>(size)); });
        return SSL_get_error(tls_, got) == SSL_ERROR_ZERO_RETURN ? 0 : got;
    }

    std::string trouble() const
    {
        if (Steady::now() >= deadline_) return "no answer in time";
        if (tls_ != nullptr) {
            const long verified = SSL_get_verify_result(tls_);
            if (verified != X509_V_OK) return X509_verify_cert_error_string(verified);
            if (const auto code = ERR_peek_last_error(); code != 0) {
                std::array<char, 256> text{};
                ERR_error_string_n(code, text.data(), text.size());
                return text.data();
            }
        }
        return errno != 0 ? std::strerror(errno) : "the connection ended";
    }

private:
    // An address is checked as one, a name as a name; only a name may be told to the server.
    bool expect_host(const std::string& host)
    {
        if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_), host.c_str()) == 1) return true;
        ERR_clear_error();
        return SSL_set_tlsext_host_name(tls_, host.c_str()) == 1 &&
               SSL_set1_host(tls_, host.c_str()) == 1;
    }

    bool wait_for(short events) const
    {
        for (;;) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Steady::now());
            if (left.count() <= 0) return false;
            pollfd waiting{.fd = socket_, .events = events, .revents = 0};
            const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
            if (ready >= 0 || errno != EINTR) return ready > 0;
        }
    }

    template <typename Call>
    int retry_plain(short events, Call call) const
    {
        while (true) {
            const auto size = call();
            if (size >= 0) return static_cast<int>(size);
            if (errno == EINTR) continue;
            if (errno != EAGAIN || !wait_for(events)) return -1;
        }
    }

    template <typename Call>
    int retry(Call call)
    {
        while (true) {
            ERR_clear_error();
            const int result = call();
            if (result > 0) return result;
            const int reason = SSL_get_error(tls_, result);
            if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) return result;
            if (!wait_for(reason == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT)) return -1;
        }
    }

    const int socket_;
    const Steady::time_point deadline_;
    SSL_CTX* context_ = nullptr;
    SSL* tls_ = nullptr;
};

Result<std::unique_ptr<Wire>> open_wire(const ServerUrl& server, Steady::time_point deadline)
{
    const auto unreachable = [&server](std::string_view why) {
        return fail(
            Errc::store_unavailable,
            fmt::format("cannot reach {} port {}: {}", shown(server.host), server.port, why)
        );
    };
    const addrinfo hints{.ai_flags = AI_ADDRCONFIG, .ai_socktype = SOCK_STREAM};
    addrinfo* found = nullptr;
    if (const int code = ::getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found);
        code != 0) {
        return unreachable(::gai_strerror(code));
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses{found, ::freeaddrinfo};
    std::string why = "no address";
    for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
        const int socket = ::socket(
            address->ai_family,
            address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
            address->ai_protocol
        );
        if (socket < 0) continue;
        auto wire = std::make_unique<Wire>(socket, deadline);
        if (!wire->connect(*address)) {
            why = wire->trouble();
        } else if (server.tls && !wire->start_tls(server.host)) {
            return unreachable("TLS: " + wire->trouble());
        } else {
            return wire;
        }
    }
    return unreachable(why);
}

std::string encode(const ServerUrl& server, const Request& request)
{
    const bool is_ipv6 = server.host.find(':') != std::string::npos;
    std::string text = fmt::format(
        "{} {}{}{} HTTP/1.1\r\nHost: {}:{}\r\nConnection: close\r\nContent-Length: {}\r\n",
        request.method,
        request.path,
        request.query.empty() ? "" : "?",
        request.query,
        is_ipv6 ? "[" + server.host + "]" : server.host,
        server.port,
        request.body.size()
    );
    for (const Header& header : request.headers) text += header.name + ": " + header.value + "\r\n";
    return text + "\r\n" + request.body;
}

}  // namespace

Result<ServerUrl> parse_server_url(std::string_view text)
{
    const auto refuse = [text] {
        return fail(
            Errc::invalid_argument,
            fmt::format(
                "\"{}\" is not the address of a server; write http://127.0.0.1:8080", shown(text)
            )
        );
    };
    ServerUrl url;
    std::string_view rest = text;
    if (rest.starts_with("https://")) {
        url.tls = true;
        rest.remove_prefix(8);
    } else if (rest.starts_with("http://")) {
        rest.remove_prefix(7);
    } else {
        return refuse();
    }
    if (rest.ends_with('/')) rest.remove_suffix(1);
    std::size_t colon = rest.rfind(':');
    if (rest.starts_with('[')) {
        const std::size_t end = rest.find(']');
        if (end == std::string_view::npos) return refuse();
        url.host = rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
        if (!rest.empty() && !rest.starts_with(':')) return refuse();
        colon = rest.empty() ? std::string_view::npos : 0;
    } else {
        url.host = rest.substr(0, colon);
    }
    url.port = colon == std::string_view::npos ? (url.tls ? "443" : "80") : rest.substr(colon + 1);
    const bool is_port = !url.port.empty() && url.port.size() <= 5 &&
                         url.port.find_first_not_of("0123456789") == std::string::npos;
    if (!is_port || url.host.empty() || url.host.find_first_of("/@?#% \t\r\n") != std::string::npos)
        return refuse();
    return url;
}

Result<Response> exchange(
    const ServerUrl& server, const Request& request, std::chrono::milliseconds deadline
)
{
    const WithoutSigpipe quiet;
    auto wire = open_wire(server, Steady::now() + deadline);
    if (!wire) return std::unexpected(wire.error());
    const auto broken = [&](std::string_view why) {
        return fail(
            Errc::store_unknown, fmt::format("{} port {}: {}", shown(server.host), server.port, why)
        );
    };
    if (!(*wire)->write(encode(server, request))) return broken((*wire)->trouble());

    beast::http::response_parser<beast::http::string_body> parser;
    parser.body_limit(answer_bytes_max);
    parser.eager(true);
    std::string unread;
    std::array<char, 16 * 1024> part;
    beast::error_code error;
    while (!parser.is_done()) {
        const int size = (*wire)->read(part.data(), part.size());
        if (size < 0) return broken((*wire)->trouble());
        if (size == 0) {
            parser.put_eof(error);
            if (error || !parser.is_done())
                return broken("the connection ended before the answer did");
            break;
        }
        unread.append(part.data(), static_cast<std::size_t>(size));
        const std::size_t used = parser.put(boost::asio::buffer(unread), error);
        unread.erase(0, used);
        if (error && error != beast::http::error::need_more)
            return broken("no answer of HTTP: " + error.message());
    }
    auto message = parser.release();
    Response response;
    response.status = static_cast<int>(message.result_int());
    response.body = std::move(message.body());
    for (const auto& field : message) {
        response.headers.push_back({std::string{field.name_string()}, std::string{field.value()}});
    }
    return response;
}

}  // namespace umavez::http
