#pragma once

// FlushLog: what a durable write costs at least here: append 300 bytes to a preallocated file, flush.
// Confined to its thread.

#include <chrono>
#include <string>

namespace umavez::bench {

class FlushLog {
public:
    explicit FlushLog(const std::string& path);
    ~FlushLog();
    FlushLog(const FlushLog&) = delete;
    FlushLog& operator=(const FlushLog&) = delete;

    // The median of one flush during `window`, in microseconds.
    double p50(std::chrono::milliseconds window);

private:
    const int file_;
    long offset_ = 0;
};

}  // namespace umavez::bench
