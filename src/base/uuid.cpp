#include "base/uuid.hpp"

#include <string_view>

namespace umavez {
namespace {

// The lowest `digits` hexadecimal digits of `number`.
void append_hex(std::string& out, std::uint64_t number, unsigned digits)
{
    constexpr std::string_view hex = "0123456789abcdef";
    while (digits > 0) out += hex[number >> (4 * --digits) & 0xf];
}

}  // namespace

std::string make_uuid7(Instant now, Random& random)
{
    const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch());
    const auto millis = static_cast<std::uint64_t>(since_epoch.count());
    const std::uint64_t high = random.next();
    const std::uint64_t low = random.next();
    std::string uuid;
    uuid.reserve(36);
    append_hex(uuid, millis >> 16, 8);
    uuid += '-';
    append_hex(uuid, millis, 4);
    uuid += "-7";
    append_hex(uuid, high, 3);
    uuid += '-';
    append_hex(uuid, 0x8000 | (high >> 12 & 0x3fff), 4);
    uuid += '-';
    append_hex(uuid, low, 12);
    return uuid;
}

}  // namespace umavez
