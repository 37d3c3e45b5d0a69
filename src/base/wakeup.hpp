#pragma once

// Wakeup: lets other threads interrupt one that waits for sockets, or for a time. Thread-safe.

#include <umavez/time.hpp>

#include <initializer_list>

namespace umavez {

class Wakeup {
public:
    Wakeup();
    ~Wakeup();
    Wakeup(const Wakeup&) = delete;
    Wakeup& operator=(const Wakeup&) = delete;

    void wake() const noexcept;

    // Until one of the descriptors can be read, somebody calls wake(), or `limit` is over; one that is over
    // already, and so below zero, waits for nothing. Descriptors below zero are left out. A wake between two
    // waits ends the next one.
    void wait(std::initializer_list<int> descriptors, Duration limit) const noexcept;

private:
    int descriptor_;
};

}  // namespace umavez
