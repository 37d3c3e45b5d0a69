#pragma once

// The members of script calls, made from what the port is asked, and what their answers mean. Which
// keys and arguments a script takes is told at its top (scripts/). Thread-safe.

#include "store/redis/names.hpp"
#include "store/redis/request.hpp"
#include "store/store.hpp"

#include <string_view>

namespace umavez {

RedisRequest insert_request(const RedisNames& names, const Insertion& insertion, bool audit);
RedisRequest replace_request(
    const RedisNames& names, const RecordId& id, const Change& change, bool audit
);
RedisRequest heartbeat_request(const RedisNames& names, const Heartbeat& heartbeat);
RedisRequest note_request(const RedisNames& names, const RecordId& id, const AuditNote& note);

enum class Extent : std::uint8_t { record, story, brief };
RedisRequest find_request(const RedisNames& names, const RecordId& id, Extent extent);
RedisRequest find_request(const RedisNames& names, std::string_view record_name, Extent extent);

// `status` of each was good. corrupt_record: the bytes are not ours.
Result<void> read_inserted(const RedisRequest& request, Insertion& insertion, Found& found);
Result<void> read_replaced(
    const RedisRequest& request, const RecordId& id, Change& change, Replaced& replaced
);
Result<void> read_heartbeat(const RedisRequest& request, const RecordId& id, Replaced& replaced);
Result<std::optional<Record>> read_found(const RedisRequest& request, const RecordId& id);

}  // namespace umavez
