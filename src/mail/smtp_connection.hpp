#pragma once

// SmtpConnection: one open connection to a mail server, greeted, encrypted and logged in.
//
// libcurl opens it (names, addresses, TLS, STARTTLS, AUTH) and carries its bytes; the dialogue of a
// message is ours (smtp_transport.hpp). A transfer run by libcurl would not tell whether the last byte of
// a message left, and takes its connection down with every refused recipient.
//
// Confined to its thread. The destructor says good-bye if the server listens, and does not wait for it.

#include "mail/smtp_reply.hpp"
#include "mail/smtp_url.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <curl/curl.h>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace umavez::mail {

using Deadline = std::chrono::steady_clock::time_point;

enum class Carried : std::uint8_t { done, closed, timeout, stopped };

// Wakes whoever waits in poll() when the stop comes.
class StopSignal {
public:
    explicit StopSignal(std::stop_token stop);

    int descriptor() const noexcept { return event_.descriptor; }
    bool is_set() const noexcept { return stop_.stop_requested(); }

private:
    struct Event {
        Event();
        ~Event();
        Event(const Event&) = delete;
        Event& operator=(const Event&) = delete;
        int descriptor;
    };
    struct Wake {
        int descriptor;
        void operator()() const noexcept;
    };

    Event event_;  // outlives the callback
    std::stop_token stop_;
    std::stop_callback<Wake> callback_;
};

struct NotConnected {
    int code = 0;  // the server's, if it refused us with words
    std::string detail;
    bool is_stopped = false;
};

class SmtpConnection {
public:
    static std::expected<std::unique_ptr<SmtpConnection>, NotConnected> open(
        const SmtpUrl& url,
        const TransportOptions& options,
        Deadline deadline,
        const StopSignal& stop
    );
    ~SmtpConnection();
    SmtpConnection(const SmtpConnection&) = delete;
    SmtpConnection& operator=(const SmtpConnection&) = delete;

    // Takes what was sent off `bytes`. A null `stop` is not asked.
    Carried write(std::string_view& bytes, Deadline deadline, const StopSignal* stop);
    // Gives `to` what is there, or waits for something.
    Carried read(ReplyReader& to, Deadline deadline, const StopSignal* stop);

    // Between two messages nothing should come: not the end, and not a word.
    bool is_quiet();

    void mark_useless() noexcept { is_useful_ = false; }

private:
    SmtpConnection() = default;
    bool prepare(const SmtpUrl& url, const TransportOptions& options);
    std::expected<void, NotConnected> connect(Deadline deadline, const StopSignal& stop);
    NotConnected explain(CURLcode code) const;
    Carried wait(short events, Deadline deadline, const StopSignal* stop) const;
    static std::size_t take_line(char* data, std::size_t, std::size_t size, void* self);

    using Easy = std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)>;
    using Multi = std::unique_ptr<CURLM, decltype(&::curl_multi_cleanup)>;

    Multi multi_{nullptr, ::curl_multi_cleanup};
    Easy easy_{nullptr, ::curl_easy_cleanup};
    std::array<char, CURL_ERROR_SIZE> words_{};  // libcurl's, of a failure
    std::string said_;                           // by the server, its last line
    curl_socket_t socket_ = CURL_SOCKET_BAD;
    bool is_added_ = false;
    bool is_useful_ = false;
};

}  // namespace umavez::mail
