#pragma once

// StoreClock: the clock of a store that has none of its own (memory, SQLite).
//
// max(wall clock, high-water mark), taken once at open, plus the time since boot that has passed since then:
// it does not step while the process runs, and a database that carries its mark along never sees time fall
// behind what it has already written. Thread-safe.

#include <umavez/time.hpp>

#include <algorithm>

namespace umavez {

class StoreClock {
public:
    explicit StoreClock(const Clock& clock, Instant high_water = {})
        : clock_(clock),
          opened_at_(std::max(clock.realtime(), high_water)),
          opened_boottime_(clock.boottime())
    {
    }

    Instant now() const { return opened_at_ + (clock_.boottime() - opened_boottime_); }

private:
    const Clock& clock_;
    const Instant opened_at_;
    const Duration opened_boottime_;
};

}  // namespace umavez
