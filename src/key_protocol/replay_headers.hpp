#pragma once

// Which headers of an answer are kept with the record and given back by a replay.
//
// A list of what may, not of what may not: a header that is new tomorrow (a cookie under another
// name, a rate limit, a trace) belongs to one exchange until somebody says otherwise. Both
// directions use the same list, so a record that another door or an older release wrote is filtered
// as well.
//
// Content-Encoding is not in the list: a handler answers in plain bytes, and compression, where
// there is any, happens after the replay, for the caller who asked for it. Pure, thread-safe.

#include <umavez/response.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace umavez::key_protocol {

// Content-Type, Content-Language, Content-Location, Location, ETag, Last-Modified, Link.
bool is_replayable(std::string_view name) noexcept;

// The lines that may be replayed, in their order and byte for byte. Without those that `Connection`
// names, and those that would break their line.
std::vector<Header> replayable_headers(std::vector<Header> headers);

// A handler's answer, taken apart before the engine sees it.
struct SplitResponse {
    Response kept;                // for the record and for every caller
    std::vector<Header> passing;  // for the first caller alone: Set-Cookie, Retry-After …
};

// Headers that belong to the connection (Transfer-Encoding …), those that this protocol writes
// itself (Idempotent-Replayed …) and those whose name or value is hostile are in neither.
SplitResponse split_for_record(Response response);

}  // namespace umavez::key_protocol
