#pragma once

// X-Request-Id: the client's own if it is sane, else a new one. Thread-safe.

#include "http/message.hpp"

#include <string>
#include <vector>

namespace umavez::http {

// Sane: 1 to 128 characters of [A-Za-z0-9._:+/=@-], given once.
std::string choose_request_id(const std::vector<Header>& headers);

}  // namespace umavez::http
