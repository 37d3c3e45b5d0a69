#include "simulation/trace.hpp"

namespace umavez::simulation {

void Trace::fold(std::string_view text) noexcept
{
    for (const char byte : text) {
        hash_ = (hash_ ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3u;
    }
    hash_ = (hash_ ^ 0x0au) * 0x100000001b3u;
}

std::uint64_t combine(std::uint64_t hash, std::uint64_t next) noexcept
{
    for (int shift = 0; shift < 64; shift += 8) {
        hash = (hash ^ ((next >> shift) & 0xffu)) * 0x100000001b3u;
    }
    return hash;
}

}  // namespace umavez::simulation
