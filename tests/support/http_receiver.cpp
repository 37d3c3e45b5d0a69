#include "support/http_receiver.hpp"

#include "support/free_port.hpp"
#include "support/wait_limit.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <csignal>
#include <netinet/in.h>
#include <poll.h>
#include <span>
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

X509* read_certificate(const std::string& pem)
{
    BIO* const bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
    X509* const certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    return certificate;
}

constexpr int demanding = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;

std::shared_ptr<void> make_context(const ReceiverTls& tls)
{
    const std::shared_ptr<SSL_CTX> context{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
    X509* const certificate = read_certificate(tls.certificate);
    SSL_CTX_use_certificate(context.get(), certificate);
    X509_free(certificate);
    BIO* const bio = BIO_new_mem_buf(tls.key.data(), static_cast<int>(tls.key.size()));
    EVP_PKEY* const key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    SSL_CTX_use_PrivateKey(context.get(), key);
    EVP_PKEY_free(key);
    if (SSL_CTX_check_private_key(context.get()) != 1) throw std::runtime_error("no pair");
    if (tls.is_old) SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
    if (!tls.client_authority.empty()) {
        X509* const authority = read_certificate(tls.client_authority);
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), authority);
        X509_free(authority);
        if (!tls.asks_late) SSL_CTX_set_verify(context.get(), demanding, nullptr);
    }
    return context;
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

// A connection, with TLS or without.
class ReceiverChannel {
public:
    using Wait =
        std::function<bool()>;  // until there is something to read; false: the receiver ends

    ReceiverChannel(int socket, SSL_CTX* tls, Wait wait)
        : socket_(socket), wait_(std::move(wait)), ssl_(tls == nullptr ? nullptr : SSL_new(tls))
    {
        if (ssl_ == nullptr) return;
        SSL_set_fd(ssl_, socket);
        SSL_set_accept_state(ssl_);
    }
    ~ReceiverChannel()
    {
        SSL_free(ssl_);
        ::close(socket_);
    }
    ReceiverChannel(const ReceiverChannel&) = delete;
    ReceiverChannel& operator=(const ReceiverChannel&) = delete;

    // 0: there is nothing more.
    std::size_t read(std::span<char> space)
    {
        if (ssl_ != nullptr && SSL_pending(ssl_) > 0) return read_tls(space);
        if (!wait_()) return 0;
        if (ssl_ != nullptr) return read_tls(space);
        const ssize_t got = ::recv(socket_, space.data(), space.size(), 0);
        return got <= 0 ? 0 : static_cast<std::size_t>(got);
    }

    void write(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const ssize_t sent = ssl_ != nullptr
                                     ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                     : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        if (ssl_ != nullptr) SSL_shutdown(ssl_);
    }

    // After the handshake. False: there is none, or not one that is believed.
    bool ask_certificate()
    {
        SSL_set_verify(ssl_, demanding, nullptr);
        if (SSL_verify_client_post_handshake(ssl_) != 1 || SSL_do_handshake(ssl_) != 1)
            return false;
        SSL_clear_mode(ssl_, SSL_MODE_AUTO_RETRY);  // no data follow
        while (SSL_get0_peer_certificate(ssl_) == nullptr) {
            if (!wait_()) return false;
            std::array<char, 1> nothing{};
            const int got = SSL_read(ssl_, nothing.data(), static_cast<int>(nothing.size()));
            if (SSL_get_error(ssl_, got) != SSL_ERROR_WANT_READ) return false;
        }
        return true;
    }

private:
    // Whole records come at once on loopback: to wait inside is short.
    std::size_t read_tls(std::span<char> space)
    {
        ERR_clear_error();
        const int got = SSL_read(ssl_, space.data(), static_cast<int>(space.size()));
        ERR_clear_error();
        return got <= 0 ? 0 : static_cast<std::size_t>(got);
    }

    int socket_;
    Wait wait_;
    SSL* ssl_;
};

std::string Received::header(std::string_view name) const
{
    const auto found =
        std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
    return found == headers.end() ? std::string{} : found->second;
}

HttpReceiver::HttpReceiver(React react, std::uint16_t port)
    : react_(std::move(react)), ending_(::eventfd(0, EFD_CLOEXEC))
{
    listen(port);
}

HttpReceiver::HttpReceiver(React react, const ReceiverTls& tls)
    : react_(std::move(react)),
      tls_(make_context(tls)),
      asks_late_(tls.asks_late),
      ending_(::eventfd(0, EFD_CLOEXEC))
{
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes where the peer may have gone
    listen(0);
}

void HttpReceiver::listen(std::uint16_t port)
{
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    // Not one that the kernel gives out: nobody gets it between this receiver and the next one
    // there.
    address.sin_port = htons(port == 0 ? find_port_to_bind() : port);
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
    return (tls_ ? "https://localhost:" : "http://127.0.0.1:") + std::to_string(port_) + path;
}

std::vector<Received> HttpReceiver::received() const
{
    const std::lock_guard guard{mutex_};
    return received_;
}

bool HttpReceiver::wait_for(std::size_t count) const
{
    std::unique_lock lock{mutex_};
    wait_until(std::to_string(count) + " requests come", changed_, lock, [&] {
        return received_.size() >= count;
    });
    return true;
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

bool HttpReceiver::read_request(ReceiverChannel& channel, Received& request)
{
    std::string arrived;
    std::size_t needed = std::string::npos;
    while (arrived.size() < needed) {
        std::array<char, 4096> bytes{};
        const std::size_t got = channel.read(bytes);
        if (got == 0) return false;
        arrived.append(bytes.data(), got);
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
    ReceiverChannel channel{socket, static_cast<SSL_CTX*>(tls_.get()), [this, socket] {
                                return wait_readable(socket);
                            }};
    Received request;
    if (read_request(channel, request)) {
        {
            const std::lock_guard guard{mutex_};
            received_.push_back(request);
            changed_.notify_all();
        }
        if (asks_late_ && !channel.ask_certificate()) return;
        const Reaction reaction = react_(request);
        if (reaction.kind == Reaction::Kind::hold) static_cast<void>(wait_readable(socket));
        const bool is_cut = reaction.kind == Reaction::Kind::cut;
        if (is_cut || reaction.kind == Reaction::Kind::answer) {
            const std::size_t promised = reaction.body.size() + (is_cut ? 100 : 0);
            channel.write(
                "HTTP/1.1 " + std::to_string(reaction.status) +
                " Said\r\nContent-Length: " + std::to_string(promised) +
                "\r\nConnection: close\r\n" + reaction.headers + "\r\n" + reaction.body
            );
        }
    }
}

}  // namespace umavez::test
