#pragma once

// LogWriter: lines on their way to a descriptor, on a thread of its own.
//
// Whoever logs never waits for whoever reads: a terminal that was paused or a full pipe must not stop the
// server. What does not fit any more is dropped and counted, and the count is told when there is room.
// Lines are gathered for a few milliseconds: the thread is woken for the first of them, not for each.
// (spdlog's asynchronous logger waits for its sink when it ends: a stuck reader would keep the program from
// ending.) Thread-safe.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace umavez {

class LogWriter {
public:
    // `tell_loss` makes a line of the number of lines that were dropped; it is called from the thread.
    LogWriter(int descriptor, std::function<std::string(std::size_t lines)> tell_loss);
    ~LogWriter();  // as flush()
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    void put(std::string_view line);  // without its end

    // Waits until everything is written, for at most a second.
    void flush();

private:
    void run();
    void write(std::string_view bytes);

    const int descriptor_;
    const std::function<std::string(std::size_t)> tell_loss_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string waiting_;
    std::size_t dropped_ = 0;
    bool is_writing_ = false;
    bool is_hurried_ = false;  // somebody waits for what is there
    bool is_ending_ = false;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace umavez
