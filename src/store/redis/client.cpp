#include "store/redis/client.hpp"

#include <string>
#include <utility>

namespace umavez {

RedisClient::RedisClient(RedisUrl url, const Clock* clock)
    : url_(std::move(url)), names_(url_.prefix), sentinel_(url_, random_text()), clock_(clock)
{
}

Result<void> RedisClient::start()
{
    const auto now = [clock = clock_] {
        return clock == nullptr ? std::string{} : std::to_string(to_micros(clock->realtime()));
    };
    // The first one learns how many there should be.
    std::size_t wanted = 1;
    while (connections_.size() < wanted) {
        auto connection = std::make_unique<RedisConnection>(url_, names_, sentinel_, now);
        const auto advised = connection->start();
        if (!advised) return std::unexpected(advised.error());
        if (connections_.empty()) wanted = url_.connections.value_or(*advised);
        connections_.push_back(std::move(connection));
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
