#pragma once

// The URL of somebody else's server, as a client of ours may register it: http or https, a host, nothing
// hidden in it. Read by the parser of the library that connects, so both see the same host. Pure,
// thread-safe.

#include "outbound/address.hpp"

#include <umavez/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::outbound {

inline constexpr std::size_t url_chars_max = 2000;

struct DestinationUrl {
    std::string text;  // as it was given
    bool tls = false;
    std::string host;  // without brackets; numbers that mean an IPv4 address are written as one
    std::uint16_t port = 0;

    // Where the host is an address and not a name; the name "localhost" is one.
    std::optional<Address> literal = {};
};

// invalid_argument: the detail is a sentence that tells what is wrong with it.
Result<DestinationUrl> parse_destination_url(std::string_view text);

}  // namespace umavez::outbound
