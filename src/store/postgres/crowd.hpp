#pragma once

// Crowd: callers that are answered together ask together.
//
// All of them in one batch would keep one of the server's processes busy while the other way had nothing
// to do: so no batch takes more than half of a large crowd. They do not ask in the same instant either, and
// a batch that left with the first of them would be small: so whoever gathers one learns how many may be on
// their way back. Who is alone is no crowd and waits for nobody.
//
// Not thread-safe.

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace umavez::pg {

class Crowd {
public:
    using Time = std::chrono::steady_clock::time_point;

    // So many calls wait or are being written. Those whose callers were just answered are not among them,
    // so a smaller number counts little by little.
    void see(std::size_t calls) noexcept { callers_ = std::max(calls, callers_ - callers_ / 16); }

    // How many calls a batch takes at most.
    std::size_t share() const noexcept { return std::max(few, (callers_ + 1) / 2); }

    void on_answered(std::size_t calls, Time now) noexcept
    {
        answered_ = calls;
        answered_at_ = now;
    }

    // How many may come back at once; none, unless many were answered just now.
    std::size_t returning(Time now) const noexcept
    {
        return answered_ >= least && now <= answered_at_ + returns_within ? answered_ : 0;
    }

private:
    // A statement costs the server as much before its first row as some ten rows.
    static constexpr std::size_t few = 24;
    static constexpr std::size_t least = 8;
    static constexpr auto returns_within = std::chrono::milliseconds{2};

    std::size_t callers_ = 0;   // at once, lately
    std::size_t answered_ = 0;  // by the last batch
    Time answered_at_;
};

}  // namespace umavez::pg
