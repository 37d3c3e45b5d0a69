#pragma once

// HttpReceiver: somebody else's HTTP server on loopback, for tests of what we send. It does as it is told:
// answers, hangs up without a word, or never answers. One request per connection. With TLS it may demand a
// certificate of whoever calls.
//
// Thread-safe; `react` is called from one thread per connection. The destructor ends every connection.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace umavez::test {

struct Received {
    std::string method;
    std::string target;
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
    std::string body;

    std::string header(std::string_view name) const;  // "" where there is none
};

struct Reaction {
    enum class Kind : std::uint8_t {
        answer,
        hang_up,  // without a word
        cut,      // a whole head, and less of a body than it says
        hold,     // until the sender leaves, or the receiver ends
    };
    Kind kind = Kind::answer;
    int status = 200;
    std::string headers = {};  // "Retry-After: 5\r\n"
    std::string body = {};
};

// All in PEM. The handshake fails for whoever has no certificate of this authority, if one is named.
struct ReceiverTls {
    std::string certificate;
    std::string key;
    std::string client_authority = {};
    bool is_old = false;  // TLS 1.2, where a server looks at certificates inside of the handshake
    bool asks_late = false;  // for the certificate, when it has read a request (TLS 1.3)
};

class ReceiverChannel;

class HttpReceiver {
public:
    using React = std::function<Reaction(const Received&)>;

    // On a free port, or on this one again.
    explicit HttpReceiver(React react, std::uint16_t port = 0);
    HttpReceiver(React react, const ReceiverTls& tls);
    ~HttpReceiver();
    HttpReceiver(const HttpReceiver&) = delete;
    HttpReceiver& operator=(const HttpReceiver&) = delete;

    std::uint16_t port() const noexcept { return port_; }
    std::string url(const std::string& path = "/") const;

    // In the order in which they came.
    std::vector<Received> received() const;
    // True; throws WaitNotMet where fewer come.
    bool wait_for(std::size_t count) const;

private:
    void listen(std::uint16_t port);
    void accept_all();
    void serve(int socket);
    bool read_request(ReceiverChannel& channel, Received& request);
    bool wait_readable(int socket) const;

    const React react_;
    std::shared_ptr<void> tls_;  // OpenSSL's context; null: plain
    bool asks_late_ = false;     // for a certificate
    std::uint16_t port_ = 0;
    int listening_ = -1;
    int ending_ = -1;  // an eventfd: readable when the receiver ends

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<Received> received_;         // guarded by mutex_
    std::vector<std::jthread> connections_;  // of the accepting thread
    std::jthread accepting_;
};

}  // namespace umavez::test
