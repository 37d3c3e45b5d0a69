#pragma once

// FaultProxy: a TCP proxy between a test and its server that loses exactly what the test wants
// lost.
//
// A fault strikes the next request that arrives on any connection, once. Everything else passes.
// Thread-safe; the proxy has a thread of its own.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace umavez::test {

enum class Fault : std::uint8_t {
    none,
    lose_request,  // the connection is cut, and the server never saw the request
    lose_answer,   // the server has done its work, and the connection is cut before the answer
                   // passes
    hold_request,  // the request is kept back until release(); the sender hears nothing
    half_close,    // the request passes, and the sender is told that nothing more will come
};

class FaultProxy {
public:
    explicit FaultProxy(std::uint16_t server_port);
    ~FaultProxy();
    FaultProxy(const FaultProxy&) = delete;
    FaultProxy& operator=(const FaultProxy&) = delete;

    std::uint16_t port() const noexcept { return port_; }

    void strike_next(Fault fault);

    // Lets held requests go on. Gives how many were still wanted: the server may have closed
    // meanwhile.
    void release();
    void wait_until_released();

    // From now on every connection is cut and none is accepted, or both again as usual.
    void refuse(bool refuses);

private:
    struct Pair {
        int client = -1;
        int server = -1;
        bool loses_answer = false;
        std::string held;
    };

    void run();
    void accept_one();
    // False: the pair is over.
    bool pass_request(Pair& pair);
    bool pass_answer(Pair& pair);
    void end(Pair& pair);
    void wake() const;
    void let_go();

    int listener_ = -1;
    int wake_ = -1;
    std::uint16_t port_ = 0;
    const std::uint16_t server_port_;
    std::vector<Pair> pairs_;  // the thread's

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    Fault next_ = Fault::none;
    bool is_releasing_ = false;
    bool refuses_ = false;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace umavez::test
