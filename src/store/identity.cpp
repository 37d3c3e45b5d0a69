#include "store/identity.hpp"

#include "base/digest.hpp"

#include <bit>

namespace umavez {

std::int64_t identity_of(const RecordId& id)
{
    Hasher hasher;
    hasher.part("umavez identity 1");
    hasher.part(id.tenant_id.text());
    hasher.part(id.operation.text());
    hasher.part(id.key.text());
    const Digest digest = hasher.finish();
    std::uint64_t number = 0;  // little-endian on every machine, as the file may move
    for (std::size_t i = sizeof number; i-- > 0;) number = number << 8 | digest[i];
    return std::bit_cast<std::int64_t>(number);
}

}  // namespace umavez
