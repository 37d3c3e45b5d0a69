#pragma once

// Rate: so many mails a second and no more, for all threads of a process together. It gives out instants at
// which its callers may go, evenly, and lets what was not used for a moment be made up for.
//
// Thread-safe. The clock is the caller's.

#include <umavez/time.hpp>

#include <mutex>

namespace umavez::mailing {

class Rate {
public:
    // 0: no limit.
    explicit Rate(double per_second) noexcept;

    // When the caller may go, by the clock of `now`; `now` itself: at once. The place is the caller's.
    Duration reserve(Duration now);

private:
    const double interval_;  // microseconds
    const double slack_;     // how much of what was not used is made up for

    std::mutex mutex_;
    double next_ = 0;  // guarded by mutex_
};

}  // namespace umavez::mailing
