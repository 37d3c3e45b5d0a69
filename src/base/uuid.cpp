#include "base/uuid.hpp"

#include <fmt/format.h>

namespace umavez {

std::string make_uuid7(Instant now, Random& random)
{
    const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch());
    const auto millis = static_cast<std::uint64_t>(since_epoch.count()) & 0xffff'ffff'ffff;
    const std::uint64_t high = random.next();
    const std::uint64_t low = random.next();
    return fmt::format(
        "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
        millis >> 16,
        millis & 0xffff,
        high & 0xfff,
        0x8000 | (high >> 12 & 0x3fff),
        low & 0xffff'ffff'ffff
    );
}

}  // namespace umavez
