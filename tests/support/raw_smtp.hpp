#pragma once

// RawSmtp: a mail server on loopback that answers each step of the dialogue as the test says, or breaks
// off there. It knows what it has taken: the test's truth.
//
// Thread-safe; `react` is called from one thread per connection. The destructor ends every connection.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace umavez::test {

struct SmtpEvent {
    std::string
        step;  // "connect", "EHLO", "MAIL", "RCPT", "DATA", "body" (its first bytes came), ".", …
    std::string line;            // as it came; with ".", the whole message
    std::size_t connection = 0;  // from 1
};

struct SmtpAction {
    enum class Then : std::uint8_t { go_on, close, hold };

    std::string say = {};  // with its CRLF; empty: nothing
    Then then = Then::go_on;
    bool takes = false;  // the message is the server's from here on
};

// As a well-behaved server answers.
SmtpAction obliging(const SmtpEvent& event);

class RawSmtp {
public:
    using React = std::function<SmtpAction(const SmtpEvent&)>;

    explicit RawSmtp(React react = obliging);
    ~RawSmtp();
    RawSmtp(const RawSmtp&) = delete;
    RawSmtp& operator=(const RawSmtp&) = delete;

    std::uint16_t port() const noexcept { return port_; }
    std::string url() const { return "smtp://127.0.0.1:" + std::to_string(port_) + "?ehlo=test"; }

    std::vector<std::string> taken() const;  // whole messages
    std::vector<std::string> steps() const;  // of all connections, in the order in which they came
    std::size_t connections() const;
    // True; throws WaitNotMet where the step does not come.
    bool wait_for_step(std::string_view step) const;

private:
    void accept_all();
    void serve(int socket, std::size_t connection);
    bool perform(int socket, const SmtpEvent& event);  // false: close
    bool read_more(int socket, std::string& arrived);
    bool wait_readable(int socket) const;

    const React react_;
    std::uint16_t port_ = 0;
    int listening_ = -1;
    int ending_ = -1;  // an eventfd: readable when the server ends

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<std::string> taken_;         // guarded by mutex_
    std::vector<std::string> steps_;         // guarded by mutex_
    std::size_t connected_ = 0;              // guarded by mutex_
    std::vector<std::jthread> connections_;  // of the accepting thread
    std::jthread accepting_;
};

}  // namespace umavez::test
