#pragma once

// What a server says of itself (INFO), and whether records may be kept there. Pure, thread-safe.

#include <umavez/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace umavez {

struct ServerInfo {
    std::string run_id;  // another after every start of the server
    std::string role;
    std::string maxmemory_policy;
    bool is_cluster = false;
    bool is_loading = false;
    bool keeps_log = false;  // appendonly yes
};

ServerInfo parse_info(std::string_view info);

// How many connections serve best. A server that keeps a log flushes it for whatever arrived
// together: then all goes over one, and shares its flush. One that keeps none works for one
// connection while the client works for the other.
std::size_t connections_for(const ServerInfo& info) noexcept;

// misconfigured: a setting must change, and the sentence names it and the cure. store_unavailable:
// not now.
Result<void> judge(const ServerInfo& info, std::string_view place);

// What an error reply says about the write that it answers.
struct Refusal {
    Errc code;
    std::string detail;
    bool is_connection_spent =
        false;  // this server will not take writes; another may be there by now
};
Refusal judge_error(std::string_view error, std::string_view place);

}  // namespace umavez
