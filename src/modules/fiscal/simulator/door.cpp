#include "modules/fiscal/simulator/door.hpp"

#include "base/without_sigpipe.hpp"
#include "modules/fiscal/simulator/tls_session.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace umavez::fiscal::simulator {
namespace {

struct FreeContext {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

Result<Context> make_context(const DoorOptions& options)
{
    Context context{SSL_CTX_new(TLS_server_method())};
    SSL_CTX* const raw = context.get();
    const bool is_made =
        raw != nullptr && SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION) == 1 &&
        SSL_CTX_use_certificate_chain_file(raw, options.server_pem.c_str()) == 1 &&
        SSL_CTX_use_PrivateKey_file(raw, options.server_pem.c_str(), SSL_FILETYPE_PEM) == 1 &&
        SSL_CTX_load_verify_locations(raw, options.client_ca.c_str(), nullptr) == 1;
    if (!is_made) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{} and {} are no certificates; remove the folder to have new ones made",
                options.server_pem,
                options.client_ca
            )
        );
    }
    // Sefin declares nothing newer. With TLS 1.3 a client would learn only after its first request that its
    // certificate is not wanted.
    SSL_CTX_set_max_proto_version(raw, TLS1_2_VERSION);
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    // Every connection shows its certificate: nothing of an earlier one is taken up again.
    SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(raw, SSL_OP_NO_TICKET);
    return context;
}

std::unexpected<Error> refuse(const DoorOptions& options, const char* reason)
{
    return fail(
        Errc::misconfigured,
        fmt::format(
            "cannot listen on {}:{}: {}; choose another address with --listen",
            options.address,
            options.port,
            reason
        )
    );
}

class ThreadedDoor final : public Door {
public:
    ThreadedDoor(DoorOptions options, Serve serve, Context context)
        : options_(std::move(options)), serve_(std::move(serve)), context_(std::move(context))
    {
    }

    ~ThreadedDoor() override
    {
        stop_.request_stop();
        if (listener_ >= 0) ::shutdown(listener_, SHUT_RDWR);
        if (accepting_.joinable()) accepting_.join();
        {
            const std::lock_guard guard{mutex_};
            for (const Guest& guest : guests_) {
                if (!guest.has_left) ::shutdown(guest.socket, SHUT_RDWR);
            }
        }
        for (Guest& guest : guests_) guest.thread.join();  // nobody comes any more
        if (listener_ >= 0) ::close(listener_);
    }

    Result<void> listen()
    {
        sockaddr_storage address{};
        socklen_t length = 0;
        auto* const v4 = reinterpret_cast<sockaddr_in*>(&address);
        auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address);
        if (::inet_pton(AF_INET, options_.address.c_str(), &v4->sin_addr) == 1) {
            v4->sin_family = AF_INET;
            v4->sin_port = htons(options_.port);
            length = sizeof *v4;
        } else if (::inet_pton(AF_INET6, options_.address.c_str(), &v6->sin6_addr) == 1) {
            v6->sin6_family = AF_INET6;
            v6->sin6_port = htons(options_.port);
            length = sizeof *v6;
        } else {
            return refuse(options_, "it is not an IP address");
        }
        listener_ = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int on = 1;
        ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        auto* const raw = reinterpret_cast<sockaddr*>(&address);
        if (listener_ < 0 || ::bind(listener_, raw, length) != 0 ||
            ::listen(listener_, SOMAXCONN) != 0 || ::getsockname(listener_, raw, &length) != 0) {
            return refuse(options_, std::strerror(errno));
        }
        port_ = ntohs(address.ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
        accepting_ = std::thread{[this] { accept(); }};
        return {};
    }

    std::uint16_t port() const noexcept override { return port_; }

private:
    struct Guest {
        int socket = -1;
        bool has_left = false;  // guarded by mutex_; its socket is closed
        std::thread thread = {};
    };

    void accept()
    {
        while (!stop_.stop_requested()) {
            const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (socket >= 0) take(socket);
        }
    }

    void take(int socket)
    {
        const int on = 1;
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.idle_limit);
        const timeval limit{.tv_sec = seconds.count(), .tv_usec = 0};
        ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        const std::lock_guard guard{mutex_};
        std::erase_if(guests_, [](Guest& guest) {
            if (guest.has_left) guest.thread.join();
            return guest.has_left;
        });
        if (stop_.stop_requested() || guests_.size() >= options_.connections_max) {
            ::close(socket);
            return;
        }
        Guest& guest = guests_.emplace_back(socket);
        guest.thread = std::thread{[this, &guest] { serve(guest); }};
    }

    void serve(Guest& guest)
    {
        const WithoutSigpipe scope;
        const int socket = guest.socket;
        if (serve_connection(*context_, socket, serve_, stop_.get_token()) == Farewell::reset) {
            const linger at_once{.l_onoff = 1, .l_linger = 0};
            ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        }
        const std::lock_guard guard{mutex_};
        guest.has_left = true;
        ::close(socket);
    }

    const DoorOptions options_;
    const Serve serve_;
    const Context context_;
    std::stop_source stop_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::thread accepting_;

    std::mutex mutex_;
    std::list<Guest> guests_;  // guarded by mutex_
};

}  // namespace

Result<std::unique_ptr<Door>> Door::open(DoorOptions options, Serve serve)
{
    auto context = make_context(options);
    if (!context) return std::unexpected(context.error());
    auto door =
        std::make_unique<ThreadedDoor>(std::move(options), std::move(serve), *std::move(context));
    if (auto listening = door->listen(); !listening) return std::unexpected(listening.error());
    return door;
}

}  // namespace umavez::fiscal::simulator
