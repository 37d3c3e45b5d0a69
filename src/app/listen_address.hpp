#pragma once

// ListenAddress: where the server listens. A plain value.

#include <umavez/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez {

struct ListenAddress {
    std::string address;  // an IP address, without brackets
    std::uint16_t port = 0;
    bool is_loopback() const noexcept;
    friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080"
Result<ListenAddress> parse_listen(std::string_view text);

}  // namespace umavez
