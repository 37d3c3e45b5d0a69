#pragma once

// key_hash: where a key is found in the engine's tables in memory. Stored nowhere; keys that share one are
// told apart by whoever must.

#include "base/digest.hpp"

#include <umavez/names.hpp>

#include <cstdint>

namespace umavez {

inline std::uint64_t key_hash(const RecordId& id) noexcept
{
    return stable_hash({id.tenant_id.text(), id.operation.text(), id.key.text()});
}

}  // namespace umavez
