#pragma once

// FastSink: a mail server that takes everything and keeps nothing, in a thread of its own. With a server
// that does work, the bare loop would mostly measure that work, and any overhead would look small.
//
// Thread-safe. The destructor ends every connection.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace umavez::bench {

class FastSink {
public:
    FastSink();
    ~FastSink();
    FastSink(const FastSink&) = delete;
    FastSink& operator=(const FastSink&) = delete;

    std::string url() const;
    std::size_t taken() const noexcept { return taken_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    struct Client;
    void serve_all();
    bool serve(Client& client);  // false: it left

    int listening_ = -1;
    int ending_ = -1;  // an eventfd
    std::uint16_t port_ = 0;
    std::atomic<std::size_t> taken_ = 0;
    std::atomic<std::size_t> bytes_ = 0;
    std::jthread thread_;
};

}  // namespace umavez::bench
