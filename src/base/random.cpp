#include "base/random.hpp"

#include "base/assert.hpp"
#include "base/fork.hpp"

#include <array>
#include <cstddef>

#include <sys/random.h>

namespace umavez {
namespace {

class SystemRandom final : public Random {
public:
    std::uint64_t next() override
    {
        thread_local std::array<std::uint64_t, 64> buffer;
        thread_local std::size_t used = buffer.size();
        // A child that inherited its parent's buffer would repeat the parent's execution ids.
        thread_local unsigned generation = fork_generation();
        if (used == buffer.size() || generation != fork_generation()) {
            const ssize_t got = ::getrandom(buffer.data(), sizeof buffer, 0);
            UMAVEZ_ASSERT(got == static_cast<ssize_t>(sizeof buffer));
            used = 0;
            generation = fork_generation();
        }
        return buffer[used++];
    }
};

}  // namespace

Random& system_random() noexcept
{
    static SystemRandom random;
    return random;
}

std::uint64_t uniform(Random& random, std::uint64_t bound)
{
    UMAVEZ_ASSERT(bound > 0);
    // The bias of the modulo is below 2^-32 for every bound in use here (waits, shards, batches).
    return random.next() % bound;
}

}  // namespace umavez
