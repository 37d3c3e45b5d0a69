#pragma once

// FakeClock: a machine's clocks, moved by the test alone. Thread-safe.

#include <umavez/time.hpp>

#include <atomic>

namespace umavez::test {

class FakeClock final : public Clock {
public:
    Instant realtime() const override { return from_micros(realtime_.load()); }
    Duration boottime() const override { return Duration{boottime_.load()}; }

    // Time passes.
    void advance(Duration by)
    {
        realtime_ += by.count();
        boottime_ += by.count();
    }

    // Somebody sets the wall clock; no time passes.
    void step_wall(Duration by) { realtime_ += by.count(); }

private:
    std::atomic<std::int64_t> realtime_{1'700'000'000'000'000};
    std::atomic<std::int64_t> boottime_{1'000'000'000};
};

}  // namespace umavez::test
