#pragma once

// LastValue: what was last counted in the store, and whether that still will do.
//
// Counting looks at every record. A monitor that asks every few seconds would keep a store of millions
// busy with nothing else, so a count that took long is not repeated before fifty times as long: one of a
// second after 50 s.
//
// Thread-safe. Two who find it too old at once both count.

#include <umavez/engine.hpp>

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace umavez {

template <typename Value>
class LastValue {
public:
    // Nullopt: count again.
    std::optional<Value> get(Duration now) const
    {
        const std::lock_guard guard{mutex_};
        if (!value_ || now >= good_until_) return std::nullopt;
        return value_;
    }

    void put(Value value, Duration began, Duration ended)
    {
        constexpr Duration brief = std::chrono::milliseconds{100};
        constexpr int rest = 50;  // times as long as the work
        const Duration took = ended - began;
        const std::lock_guard guard{mutex_};
        value_ = std::move(value);
        good_until_ = took <= brief ? ended : ended + rest * took;
    }

private:
    mutable std::mutex mutex_;
    std::optional<Value> value_;
    Duration good_until_{0};
};

// Of the engine's records.
using LastCount = LastValue<std::vector<RecordsByStatus>>;

}  // namespace umavez
