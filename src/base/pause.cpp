#include "base/pause.hpp"

#include "base/random.hpp"

#include <condition_variable>
#include <mutex>

namespace umavez {

void pause_up_to(Duration most)
{
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock{mutex};
    const auto range = static_cast<std::uint64_t>(most.count());
    never.wait_for(lock, Duration{static_cast<Duration::rep>(uniform(system_random(), range) + 1)});
}

}  // namespace umavez
