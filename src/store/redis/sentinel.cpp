#include "store/redis/sentinel.hpp"

#include "base/random.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez {

Sentinel::Sentinel(const RedisUrl& url, std::string fresh)
    : place_(url.place()), on_emptied_(url.on_emptied), fresh_(std::move(fresh))
{
}

std::string Sentinel::expected() const
{
    const std::lock_guard guard{mutex_};
    return expected_;
}

std::string Sentinel::fresh() const
{
    const std::lock_guard guard{mutex_};
    return fresh_;
}

void Sentinel::know(std::string found)
{
    const std::lock_guard guard{mutex_};
    expected_ = std::move(found);
}

std::string Sentinel::lost(const std::string& sent)
{
    const std::lock_guard guard{mutex_};
    // Another connection may have found out before us.
    if (expected_ == sent && !sent.empty()) {
        expected_.clear();
        fresh_ = random_text();
        ++losses_;
    }
    return fmt::format(
        "{} was emptied (flushed, or started without its data): every record it had is gone, and "
        "keys that "
        "were done may run again; {}",
        place_,
        on_emptied_ == OnEmptied::resume
            ? "nothing was written by this call, and the store goes on with the empty server"
            : "on_emptied=refuse keeps the store closed until it is opened again"
    );
}

std::string Sentinel::refusal() const
{
    const std::lock_guard guard{mutex_};
    if (on_emptied_ == OnEmptied::resume || losses_ == 0) return {};
    return fmt::format(
        "{} was emptied while this program ran, and on_emptied=refuse keeps the store closed; open "
        "it again "
        "when you know that keys may run anew",
        place_
    );
}

std::uint64_t Sentinel::losses() const
{
    const std::lock_guard guard{mutex_};
    return losses_;
}

std::string random_text()
{
    return fmt::format("{:016x}{:016x}", system_random().next(), system_random().next());
}

}  // namespace umavez
