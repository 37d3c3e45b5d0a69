#pragma once

// Every: a thread that does something again and again, and now where it is woken. Stopped and joined by its
// destructor.

#include <umavez/time.hpp>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace umavez::work {

class Every {
public:
    // `chore` throws nothing, and is done once at once. One that takes long watches the token.
    using Chore = std::function<void(const std::stop_token& stop)>;
    Every(Duration period, Chore chore)
        : period_(period),
          chore_(std::move(chore)),
          thread_([this](std::stop_token stop) { run(stop); })
    {
    }

    // Lets the chore come to its end.
    void stop()
    {
        thread_.request_stop();
        if (thread_.joinable()) thread_.join();
    }

    void wake()
    {
        const std::lock_guard guard{mutex_};
        is_woken_ = true;
        changed_.notify_one();
    }

private:
    void run(const std::stop_token& stop)
    {
        while (!stop.stop_requested()) {
            chore_(stop);
            std::unique_lock lock{mutex_};
            changed_.wait_for(lock, stop, period_, [this] { return is_woken_; });
            is_woken_ = false;
        }
    }

    const Duration period_;
    const Chore chore_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool is_woken_ = false;  // guarded by mutex_
    std::jthread thread_;    // last: it uses all of the above
};

}  // namespace umavez::work
