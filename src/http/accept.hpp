#pragma once

// Accept: which of the types we can answer in the client would rather have. Pure, thread-safe.

#include <umavez/response.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace umavez::http {

// The place in `offered` ("text/html", …) of the type with the highest quality (RFC 9110, 12.5.1);
// of equals the first offered. Without a wish that can be met the first as well: an answer in
// another type helps more than none.
std::size_t choose_media_type(
    const std::vector<Header>& headers, std::span<const std::string_view> offered
);

}  // namespace umavez::http
