#pragma once

// Whether a request was meant for this machine by its own name: the defence of a server without
// tokens against a page whose name was made to point here (DNS rebinding), and against other sites'
// forms. Pure, thread-safe.

#include <umavez/response.hpp>

#include <string_view>
#include <vector>

namespace umavez::http {

// "localhost:8080", "127.0.0.1", "[::1]:8080"
bool is_loopback_authority(std::string_view authority) noexcept;

// Host is such a name, and so is Origin where there is one.
bool speaks_to_loopback(const std::vector<Header>& headers) noexcept;

}  // namespace umavez::http
