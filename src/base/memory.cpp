#include "base/memory.hpp"

#include <malloc.h>

namespace umavez {

void take_memory_in_large_steps() noexcept
{
    constexpr int mebibyte = 1024 * 1024;
    ::mallopt(M_TOP_PAD, 4 * mebibyte);
    ::mallopt(M_TRIM_THRESHOLD, 16 * mebibyte);
    // Setting one of them stops glibc from learning this one: large bodies would be mapped each time.
    ::mallopt(M_MMAP_THRESHOLD, 4 * mebibyte);
}

}  // namespace umavez
