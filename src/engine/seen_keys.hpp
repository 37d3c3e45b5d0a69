#pragma once

// SeenKeys: which keys this process has met lately. A hint: it forgets, and two keys may share a place.
//
// A key that was met before is probably a retry, and a look past the store's queue answers it without a
// write. A key that was not is probably new, and looking first would only cost: it is claimed at once, and
// should it exist after all the claim finds it. Thread-safe.

#include "base/digest.hpp"

#include <umavez/names.hpp>

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
        const std::uint64_t hash = stable_hash({id.tenant_id.text(), id.operation.text(), id.key.text()});
        std::atomic<std::uint64_t>& place = places_[hash % places_.size()];
        if (place.load(std::memory_order_relaxed) == hash) return true;
        place.store(hash, std::memory_order_relaxed);
        return false;
    }

private:
    std::vector<std::atomic<std::uint64_t>> places_ = std::vector<std::atomic<std::uint64_t>>(1 << 16);
};

}  // namespace umavez
