#include "store/redis/names.hpp"

#include "base/digest.hpp"

#include <charconv>
#include <cstdint>

namespace umavez {
namespace {

// 192 bits: nobody finds two identities with one name.
constexpr std::size_t name_bytes = 24;

std::string base64url(const std::uint8_t* bytes)
{
    static constexpr char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string text;
    text.reserve(name_bytes / 3 * 4);
    for (std::size_t i = 0; i < name_bytes; i += 3) {
        const unsigned group =
            unsigned{bytes[i]} << 16 | unsigned{bytes[i + 1]} << 8 | bytes[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) text += digits[(group >> shift) & 63];
    }
    return text;
}

std::string tagged(const std::string& prefix, std::size_t partition, std::string_view kind)
{
    return prefix + ":{" + std::to_string(partition) + "}:" + std::string{kind};
}

}  // namespace

RedisNames::RedisNames(std::string prefix)
    : prefix_(std::move(prefix)), sentinel_(prefix_ + ":sentinel")
{
    for (std::size_t i = 0; i < redis_partitions; ++i) {
        queues_[i] = tagged(prefix_, i, "x");
        leases_[i] = tagged(prefix_, i, "l");
    }
}

std::string RedisNames::record(const RecordId& id) const
{
    Hasher hasher;
    hasher.part(id.tenant_id.text());
    hasher.part(id.operation.text());
    hasher.part(id.key.text());
    const Digest digest = hasher.finish();
    // The last byte has no part in the name itself.
    return tagged(prefix_, digest.back() % redis_partitions, "r:") + base64url(digest.data());
}

std::string RedisNames::due(std::size_t partition, const Operation& operation) const
{
    return tagged(prefix_, partition, "d:") + operation.text();
}

std::size_t RedisNames::partition_of(std::string_view record_name) const noexcept
{
    if (record_name.size() < prefix_.size() + 2) return redis_partitions;
    const char* const first = record_name.data() + prefix_.size() + 2;
    std::size_t partition = redis_partitions;
    const auto parsed = std::from_chars(first, record_name.data() + record_name.size(), partition);
    if (parsed.ec != std::errc{} || partition >= redis_partitions) return redis_partitions;
    return partition;
}

}  // namespace umavez
