#include "base/uuid.hpp"

#include <string_view>

namespace umavez {
namespace {

// The lowest `digits` hexadecimal digits of `number`, written to `at`.
void put_hex(char* at, std::uint64_t number, unsigned digits)
{
    constexpr std::string_view hex = "0123456789abcdef";
    for (; digits > 0; number >>= 4) at[--digits] = hex[number & 0xf];
}

}  // namespace

std::string make_uuid7(Instant now, Random& random)
{
    const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch());
    const auto millis = static_cast<std::uint64_t>(since_epoch.count());
    const std::uint64_t high = random.next();
    const std::uint64_t low = random.next();
    std::string uuid = "tttttttt-tttt-7hhh-vhhh-llllllllllll";
    put_hex(&uuid[0], millis >> 16, 8);
    put_hex(&uuid[9], millis, 4);
    put_hex(&uuid[15], high, 3);
    put_hex(&uuid[19], 0x8000 | (high >> 12 & 0x3fff), 4);
    put_hex(&uuid[24], low, 12);
    return uuid;
}

}  // namespace umavez
