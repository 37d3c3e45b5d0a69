#include "mail/smtp_connection.hpp"

#include "base/char_set.hpp"
#include "mail/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace umavez::mail {
namespace {

constexpr std::size_t chunk_bytes = 16 * 1024;
constexpr std::chrono::milliseconds farewell{200};

constexpr CharSet printable{[](unsigned char byte) { return byte == ' ' || is_visible(byte); }};

int left_ms(Deadline deadline)
{
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

long to_ms(Duration duration)
{
    return static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

// Of "535 5.7.8 wrong password"; 0: no refusal.
int refusal_of(std::string_view line)
{
    int code = 0;
    std::from_chars(line.data(), line.data() + std::min<std::size_t>(line.size(), 3), code);
    return code >= 400 && code <= 599 ? code : 0;
}

}  // namespace

StopSignal::Event::Event() : descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

StopSignal::Event::~Event()
{
    ::close(descriptor);
}

StopSignal::StopSignal(std::stop_token stop)
    : stop_(std::move(stop)), callback_(stop_, Wake{event_.descriptor})
{
}

void StopSignal::Wake::operator()() const noexcept
{
    const std::uint64_t one = 1;
    static_cast<void>(::write(descriptor, &one, sizeof one));
}

std::expected<std::unique_ptr<SmtpConnection>, NotConnected> SmtpConnection::open(
    const SmtpUrl& url, const TransportOptions& options, Deadline deadline, const StopSignal& stop
)
{
    static std::once_flag initialised;
    std::call_once(initialised, [] { ::curl_global_init(CURL_GLOBAL_ALL); });
    std::unique_ptr<SmtpConnection> connection{new SmtpConnection};
    if (!connection->prepare(url, options)) {
        return std::unexpected(NotConnected{.detail = "no memory for a connection"});
    }
    if (auto connected = connection->connect(deadline, stop); !connected) {
        return std::unexpected(std::move(connected.error()));
    }
    return connection;
}

SmtpConnection::~SmtpConnection()
{
    if (is_useful_) {
        // The server's answer is awaited for a moment, so that it does not meet a closed door.
        const Deadline soon = std::chrono::steady_clock::now() + farewell;
        std::string_view quit = "QUIT\r\n";
        ReplyReader answer;
        if (write(quit, soon, nullptr) == Carried::done) {
            static_cast<void>(read(answer, soon, nullptr));
        }
    }
    if (is_added_) ::curl_multi_remove_handle(multi_.get(), easy_.get());
}

bool SmtpConnection::prepare(const SmtpUrl& url, const TransportOptions& options)
{
    easy_.reset(::curl_easy_init());
    multi_.reset(::curl_multi_init());
    if (!easy_ || !multi_) return false;
    bool is_set = true;
    const auto set = [&](CURLoption option, auto value) {
        is_set = ::curl_easy_setopt(easy_.get(), option, value) == CURLE_OK && is_set;
    };
    const bool is_ipv6 = url.host.find(':') != std::string::npos && !url.host.starts_with('[');
    const std::string address = fmt::format(
        "{}://{}{}{}:{}/{}",
        url.is_tls ? "smtps" : "smtp",
        is_ipv6 ? "[" : "",
        url.host,
        is_ipv6 ? "]" : "",
        url.port,
        url.greeting
    );
    set(CURLOPT_URL, address.c_str());
    set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    set(CURLOPT_CONNECT_ONLY, 1L);
    set(CURLOPT_ERRORBUFFER, words_.data());
    set(CURLOPT_PROXY, "");  // not even that of the environment
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, to_ms(options.connect_timeout));
    set(CURLOPT_TIMEOUT_MS, to_ms(options.answer_timeout));
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    const bool is_plain = url.starttls == StartTls::never;
    const bool is_required = url.is_tls || url.starttls == StartTls::required;
    const curl_usessl use = is_required ? CURLUSESSL_ALL
                            : is_plain  ? CURLUSESSL_NONE
                                        : CURLUSESSL_TRY;
    set(CURLOPT_USE_SSL, static_cast<long>(use));
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    const std::string& ca_file = url.ca_file.empty() ? options.ca_file : url.ca_file;
    if (!ca_file.empty()) set(CURLOPT_CAINFO, ca_file.c_str());
    if (!url.user.empty()) {
        set(CURLOPT_USERNAME, url.user.c_str());
        set(CURLOPT_PASSWORD, url.password.c_str());
        // Others that a server may prefer need what is not there: tickets, tokens.
        set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN");
    }
    set(CURLOPT_HEADERFUNCTION, &SmtpConnection::take_line);
    set(CURLOPT_HEADERDATA, this);
    return is_set;
}

std::expected<void, NotConnected> SmtpConnection::connect(Deadline deadline, const StopSignal& stop)
{
    // The handle stays added: without that, bytes cannot be sent through it.
    is_added_ = ::curl_multi_add_handle(multi_.get(), easy_.get()) == CURLM_OK;
    if (!is_added_) return std::unexpected(NotConnected{.detail = "no memory for a connection"});
    for (int running = 1; running > 0;) {
        if (stop.is_set()) {
            return std::unexpected(NotConnected{.detail = "the sender stops", .is_stopped = true});
        }
        const int left = left_ms(deadline);
        if (left == 0) return std::unexpected(NotConnected{.detail = "no answer in time"});
        const CURLMcode code = ::curl_multi_perform(multi_.get(), &running);
        if (code != CURLM_OK) {
            return std::unexpected(NotConnected{.detail = ::curl_multi_strerror(code)});
        }
        curl_waitfd woken{.fd = stop.descriptor(), .events = CURL_WAIT_POLLIN, .revents = 0};
        if (running > 0) ::curl_multi_poll(multi_.get(), &woken, 1, std::min(left, 1000), nullptr);
    }
    int left = 0;
    const CURLMsg* const message = ::curl_multi_info_read(multi_.get(), &left);
    const CURLcode code = message == nullptr ? CURLE_GOT_NOTHING : message->data.result;
    if (code != CURLE_OK) return std::unexpected(explain(code));
    ::curl_easy_getinfo(easy_.get(), CURLINFO_ACTIVESOCKET, &socket_);
    is_useful_ = socket_ != CURL_SOCKET_BAD;
    if (!is_useful_) return std::unexpected(NotConnected{.detail = "the connection is gone"});
    return {};
}

NotConnected SmtpConnection::explain(CURLcode code) const
{
    if (const int refusal = refusal_of(said_); refusal != 0) return {refusal, said_};
    if (code == CURLE_USE_SSL_FAILED && words_.front() == '\0') {
        return {0, "the server offers no STARTTLS (?starttls=never in the URL does without)"};
    }
    return {0, words_.front() != '\0' ? words_.data() : ::curl_easy_strerror(code)};
}

std::size_t SmtpConnection::take_line(char* data, std::size_t, std::size_t size, void* self)
{
    std::string& said = static_cast<SmtpConnection*>(self)->said_;
    said.clear();
    for (const char c : std::string_view{data, size}) {
        if (c != '\r' && c != '\n') said += printable.has(c) ? c : '?';
    }
    return size;
}

Carried SmtpConnection::wait(short events, Deadline deadline, const StopSignal* stop) const
{
    std::array<pollfd, 2> watched{
        pollfd{.fd = socket_, .events = events, .revents = 0},
        pollfd{.fd = stop == nullptr ? -1 : stop->descriptor(), .events = POLLIN, .revents = 0},
    };
    for (;;) {
        if (stop != nullptr && stop->is_set()) return Carried::stopped;
        const int left = left_ms(deadline);
        const int ready = ::poll(watched.data(), watched.size(), left);
        if (ready < 0 && errno != EINTR) return Carried::closed;
        if (ready == 0 && left == 0) return Carried::timeout;
        if (ready > 0 && watched[0].revents != 0) return Carried::done;
    }
}

Carried SmtpConnection::write(std::string_view& bytes, Deadline deadline, const StopSignal* stop)
{
    while (!bytes.empty()) {
        std::size_t sent = 0;
        const CURLcode code = ::curl_easy_send(easy_.get(), bytes.data(), bytes.size(), &sent);
        bytes.remove_prefix(std::min(sent, bytes.size()));
        if (code == CURLE_AGAIN) {
            const Carried waited = wait(POLLOUT, deadline, stop);
            if (waited != Carried::done) return waited;
        } else if (code != CURLE_OK) {
            return Carried::closed;
        }
    }
    return Carried::done;
}

Carried SmtpConnection::read(ReplyReader& to, Deadline deadline, const StopSignal* stop)
{
    std::array<char, chunk_bytes> chunk;
    for (;;) {
        std::size_t got = 0;
        const CURLcode code = ::curl_easy_recv(easy_.get(), chunk.data(), chunk.size(), &got);
        if (code == CURLE_OK && got > 0) {
            to.feed({chunk.data(), got});
            return Carried::done;
        }
        if (code != CURLE_AGAIN) return Carried::closed;
        const Carried waited = wait(POLLIN, deadline, stop);
        if (waited != Carried::done) return waited;
    }
}

bool SmtpConnection::is_quiet()
{
    char byte = 0;
    std::size_t got = 0;
    return ::curl_easy_recv(easy_.get(), &byte, 1, &got) == CURLE_AGAIN;
}

}  // namespace umavez::mail
