#pragma once

// What a server says of itself (INFO), and whether records may be kept there. Pure, thread-safe.

#include <umavez/result.hpp>

#include <string>
#include <string_view>

namespace umavez {

struct ServerInfo {
    std::string run_id;  // another after every start of the server
    std::string role;
    std::string maxmemory_policy;
    bool is_cluster = false;
    bool is_loading = false;
};

ServerInfo parse_info(std::string_view info);

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
