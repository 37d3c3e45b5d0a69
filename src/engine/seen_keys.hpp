#pragma once

// SeenKeys: which keys this process has met lately. A hint: it forgets, and two keys may share a place.
//
// A key that was met before is probably a retry, and a look past the store's queue answers it without a
// write. A key that was not is probably new, and looking first would only cost: it is claimed at once, and
// should it exist after all the claim finds it. Thread-safe.

#include "engine/key_hash.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace umavez {

class SeenKeys {
public:
    // Remembers the key; tells whether it was known.
    bool meet(const RecordId& id) noexcept
    {
        const std::uint64_t hash = key_hash(id);
        std::array<Place, keys_kept>& shared = places_[hash % places_.size()];
        for (const Place& place : shared) {
            if (place.load(std::memory_order_relaxed) == hash) return true;
        }
        // The oldest goes. Two threads at once may lose one or keep it twice.
        for (std::size_t i = keys_kept - 1; i > 0; --i)
            shared[i].store(
                shared[i - 1].load(std::memory_order_relaxed), std::memory_order_relaxed
            );
        shared[0].store(hash, std::memory_order_relaxed);
        return false;
    }

private:
    using Place = std::atomic<std::uint64_t>;

    // Of those that share a place: with one, a tenth of five thousand keys that come in turn drove each other
    // out.
    static constexpr std::size_t keys_kept = 4;
    std::vector<std::array<Place, keys_kept>> places_ =
        std::vector<std::array<Place, keys_kept>>((1 << 16) / keys_kept);
};

}  // namespace umavez
