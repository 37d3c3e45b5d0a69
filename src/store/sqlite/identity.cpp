#include "store/sqlite/identity.hpp"

#include "base/digest.hpp"

#include <cstring>

namespace umavez {

std::int64_t identity_of(const RecordId& id)
{
    Hasher& hasher = Hasher::of_this_thread();
    hasher.part(id.tenant_id.text());
    hasher.part(id.operation.text());
    hasher.part(id.key.text());
    const Digest digest = hasher.finish();
    std::int64_t number = 0;
    std::memcpy(&number, digest.data(), sizeof number);
    return number;
}

}  // namespace umavez
