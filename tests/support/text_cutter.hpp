#pragma once

// TextCutter: stands between a client and a server on loopback and cuts where a given text passes by. Where
// the next request is mark enough, FaultProxy does the same.
//
// Faults are armed by the test and strike the next connection that meets their condition, once.
// Thread-safe.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace umavez::test {

class TextCutter {
public:
    explicit TextCutter(std::uint16_t server_port);
    ~TextCutter();
    TextCutter(const TextCutter&) = delete;
    TextCutter& operator=(const TextCutter&) = delete;

    std::uint16_t port() const noexcept { return port_; }

    // The server's answer that holds `text` is swallowed and the connection cut: it was done,
    // nobody knows.
    void cut_answer_with(std::string text) { arm(Fault::cut_answer, std::move(text)); }
    // The client's request that holds `text` is swallowed and the connection cut: it was not done.
    void cut_request_with(std::string text) { arm(Fault::cut_request, std::move(text)); }
    // After the next answer the server's side says that it will send nothing more.
    void half_close_next() { arm(Fault::half_close, {}); }
    // Every answer waits this long.
    void delay(int milliseconds) { delay_ = milliseconds; }
    // Packets vanish: connections are accepted, and nothing is passed on.
    void swallow_all(bool swallows) { swallows_ = swallows; }

    int strikes() const noexcept { return strikes_; }

private:
    enum class Fault : std::uint8_t { none, cut_answer, cut_request, half_close };
    struct Pair {
        int client = -1;
        int server = -1;
    };

    void arm(Fault fault, std::string text);
    bool strikes(Fault fault, const std::string& bytes);
    void loop();
    void accept_one();
    // False: the pair is over.
    bool pass(Pair& pair, bool from_server);

    const std::uint16_t server_port_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    int wake_[2] = {-1, -1};
    std::vector<Pair> pairs_;
    std::mutex mutex_;
    Fault fault_ = Fault::none;
    std::string text_;
    std::atomic<int> delay_{0};
    std::atomic<bool> swallows_{false};
    std::atomic<int> strikes_{0};
    std::thread thread_;
};

}  // namespace umavez::test
