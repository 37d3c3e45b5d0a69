#pragma once

// Redis URLs: `redis://[user[:password]@]host[:port][/database][?option=value&…]` and
// `redis+unix:/path/to/socket[?…]`, with user and password percent-encoded where they need it.
//
// Options: `prefix` of all names [umavez], `connections` [as suits the server], `connect_timeout` [1s],
// `answer_timeout` [2s], `on_emptied` = resume or refuse [resume], and for redis+unix `database`,
// `user`, `password`. No error ever repeats the URL: it may hold a password. A plain value.

#include <umavez/result.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez {

// What becomes of a store whose server lost all it had.
enum class OnEmptied : std::uint8_t {
    resume,  // whoever finds out is told, and the store goes on with the empty server
    refuse,  // nothing goes on until the store is opened again
};

struct RedisUrl {
    std::string host = "127.0.0.1";
    std::uint16_t port = 6379;
    std::string socket_path;  // not empty: a Unix socket instead of host and port
    std::uint32_t database = 0;
    std::string user;      // empty: the default user
    std::string password;  // empty: none
    std::string prefix = "umavez";
    std::optional<std::size_t> connections;  // nullopt: as suits the server
    std::chrono::milliseconds connect_timeout{1000};
    std::chrono::milliseconds answer_timeout{2000};
    OnEmptied on_emptied = OnEmptied::resume;

    // "Redis at 127.0.0.1:6379": for sentences, without user and password.
    std::string place() const;
};

Result<RedisUrl> parse_redis_url(std::string_view url);

}  // namespace umavez
