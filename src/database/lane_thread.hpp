#pragma once

// Marks the threads that run closures. A closure that waits for a lane would wait for itself, so
// every engine and database call asks on_lane_thread() first. Thread-safe: the mark belongs to its
// thread.

#include <umavez/result.hpp>

#include <utility>

namespace umavez {

namespace detail {
inline thread_local bool is_lane_thread = false;
}

inline bool on_lane_thread() noexcept
{
    return detail::is_lane_thread;
}

// While it lives, this thread runs a closure.
class LaneThreadMark {
public:
    LaneThreadMark() noexcept : before_(std::exchange(detail::is_lane_thread, true)) {}
    ~LaneThreadMark() { detail::is_lane_thread = before_; }
    LaneThreadMark(const LaneThreadMark&) = delete;
    LaneThreadMark& operator=(const LaneThreadMark&) = delete;

private:
    bool before_;
};

inline std::unexpected<Error> fail_on_lane_thread()
{
    return fail(Errc::wrong_thread, "inside an atomic handler use the transaction you were given");
}

}  // namespace umavez
