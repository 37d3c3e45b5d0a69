#include "store/redis/client.hpp"

#include <string>
#include <utility>

namespace umavez {

RedisClient::RedisClient(RedisUrl url, const Clock* clock)
    : url_(std::move(url)), names_(url_.prefix), sentinel_(url_, random_text())
{
    const auto now = [clock] {
        return clock == nullptr ? std::string{} : std::to_string(to_micros(clock->realtime()));
    };
    for (std::size_t i = 0; i < url_.connections; ++i) {
        connections_.push_back(std::make_unique<RedisConnection>(url_, names_, sentinel_, now));
    }
}

Result<void> RedisClient::start()
{
    for (const auto& connection : connections_) {
        if (auto started = connection->start(); !started) return started;
    }
    return {};
}

void RedisClient::note(RedisRequest request)
{
    RedisConnection& connection = connection_of(request);
    connection.note(std::move(request));
}

std::uint64_t RedisClient::notes_dropped() const noexcept
{
    std::uint64_t dropped = 0;
    for (const auto& connection : connections_) dropped += connection->notes_dropped();
    return dropped;
}

Result<void> first_trouble(std::span<const RedisRequest> requests)
{
    // Unknown is the graver word.
    const RedisRequest* found = nullptr;
    for (const RedisRequest& request : requests) {
        if (request.status) continue;
        const bool is_graver =
            found == nullptr || (request.status.error().code == Errc::store_unknown &&
                                 found->status.error().code != Errc::store_unknown);
        if (is_graver) found = &request;
    }
    if (found == nullptr) return {};
    return found->status;
}

}  // namespace umavez
