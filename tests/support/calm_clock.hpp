#pragma once

// CalmClock: a clock on which no time passes, so that no limit of a closure is reached and no lease ends,
// however slow the machine is. For tests that need neither. Thread-safe.

#include <umavez/time.hpp>

namespace umavez::test {

class CalmClock final : public Clock {
public:
    Instant realtime() const override { return began_at_; }
    Duration boottime() const override { return began_boottime_; }

private:
    const Instant began_at_ = system_clock().realtime();
    const Duration began_boottime_ = system_clock().boottime();
};

// For whoever has no clock of its own: it outlives everything.
inline const Clock& calm_clock()
{
    static const CalmClock clock;
    return clock;
}

}  // namespace umavez::test
