#pragma once

// The clocks of a simulated world. Each machine has its own wall clock, which may be wrong and may step;
// the time since boot runs evenly everywhere. Confined to the simulation's thread.

#include "simulation/world.hpp"

#include <umavez/time.hpp>

namespace umavez::simulation {

inline constexpr Instant world_began = from_micros(1'780'000'000'000'000);

class NodeClock final : public Clock {
public:
    NodeClock(const World& world, Duration skew) : world_(world), skew_(skew), booted_at_(world.now()) {}

    Instant realtime() const override { return world_began + world_.now() + skew_; }
    Duration boottime() const override { return world_.now() - booted_at_ + Duration{1'000'000}; }

    void step(Duration by) { skew_ += by; }

private:
    const World& world_;
    Duration skew_;
    const Duration booted_at_;
};

// The clock of a shared store. A server's own clock may be set while it runs, so here the steps reach
// the instants that the store hands out.
class StoreSideClock final : public Clock {
public:
    explicit StoreSideClock(const World& world) : world_(world) {}

    Instant realtime() const override { return world_began + boottime(); }
    Duration boottime() const override { return world_.now() + offset_; }

    void step(Duration by) { offset_ += by; }

private:
    const World& world_;
    Duration offset_{0};
};

}  // namespace umavez::simulation
