#include "store/redis/requests.hpp"

#include "store/redis/byte_reader.hpp"
#include "store/redis/record_bytes.hpp"

#include <utility>

namespace umavez {
namespace {

char digit_of(Status status) noexcept
{
    return static_cast<char>('0' + static_cast<int>(status));
}

RedisRequest request_for(const RedisNames& names, Script script, const RecordId& id)
{
    RedisRequest request;
    request.script = script;
    const std::string name = names.record(id);
    request.lane = names.partition_of(name);
    request.key(name);
    return request;
}

std::int64_t micros_or_none(const std::optional<Duration>& duration) noexcept
{
    return duration ? duration->count() : -1;
}

void put_expected(ByteWriter& out, const Expected& expected)
{
    const auto& lease_is = expected.processing_expires_at;
    out.number<std::int64_t>(lease_is ? to_micros(lease_is->value_or(Instant{})) : -1);
    out.number(micros_or_none(expected.lease_over_for));
    for (const Status status :
         {Status::processing, Status::succeeded, Status::failed, Status::in_doubt}) {
        out.number((expected.statuses & bit(status)) != 0 ? digit_of(status) : ' ');
    }
}

// The plan and the argument that insert and replace share; `expected` belongs to a replace.
void add_draft(
    RedisRequest& request,
    const RecordId& id,
    const Draft& draft,
    const std::optional<AuditNote>& note,
    bool audit,
    const Expected* expected = nullptr
)
{
    const std::string tail = encode_tail(id, draft);
    request.arguments.reserve(request.arguments.size() + tail.size() + 16);
    ByteWriter plan;
    plan.number(digit_of(draft.status));
    plan.number(draft.raise_epoch ? '1' : '0');
    plan.number(micros_or_none(draft.lease));
    plan.number(micros_or_none(draft.expires_in));
    plan.number(micros_or_none(draft.retry_in));
    plan.number(micros_or_none(queue_in(draft.status, draft.mode, draft.lease, draft.expires_in)));
    if (expected != nullptr) put_expected(plan, *expected);
    request.plan = std::move(plan).take();
    if (audit && note) request.plan += encode_note(*note);
    request.argument(std::string_view{tail});
}

std::unexpected<Error> misshapen()
{
    return fail(Errc::corrupt_record, "a script in Redis gave an answer of another shape");
}

Result<Record> read_record(const redisReply& reply, const RecordId& id)
{
    if (reply.type != REDIS_REPLY_STRING) return misshapen();
    auto named = decode_record(text_of(reply));
    if (!named) return std::unexpected(std::move(named.error()));
    if (named->id != id) {
        return fail(Errc::corrupt_record, "a record in Redis lies under the name of another");
    }
    return std::move(named->record);
}

}  // namespace

RedisRequest insert_request(const RedisNames& names, const Insertion& insertion, bool audit)
{
    RedisRequest request = request_for(names, Script::insert, insertion.id);
    add_draft(request, insertion.id, insertion.draft, insertion.audit, audit);
    return request;
}

RedisRequest replace_request(
    const RedisNames& names, const RecordId& id, const Change& change, bool audit
)
{
    RedisRequest request = request_for(names, Script::replace, id);
    request.argument(std::string_view{encode_token(change.expected.token)});
    add_draft(request, id, change.next, change.audit, audit, &change.expected);
    return request;
}

RedisRequest heartbeat_request(const RedisNames& names, const Heartbeat& heartbeat)
{
    RedisRequest request = request_for(names, Script::heartbeat, heartbeat.id);
    request.argument(std::string_view{encode_token(heartbeat.token)});
    request.argument(std::optional{heartbeat.lease});
    request.argument(heartbeat.expires_in);
    return request;
}

RedisRequest note_request(const RedisNames& names, const RecordId& id, const AuditNote& note)
{
    RedisRequest request = request_for(names, Script::note, id);
    request.argument(std::string_view{std::to_string(note.epoch)});
    request.argument(std::string_view{encode_note(note)});
    return request;
}

RedisRequest find_request(const RedisNames& names, const RecordId& id, Extent extent)
{
    return find_request(names, names.record(id), extent);
}

RedisRequest find_request(const RedisNames& names, std::string_view record_name, Extent extent)
{
    static constexpr std::string_view extents[] = {"", "story", "brief"};
    RedisRequest request;
    request.script = Script::find;
    request.lane = names.partition_of(record_name);
    request.key(record_name);
    request.argument(extents[static_cast<std::size_t>(extent)]);
    return request;
}

Result<void> read_inserted(const RedisRequest& request, Insertion& insertion, Found& found)
{
    found.now = request.now;
    found.inserted = request.reply->type == REDIS_REPLY_INTEGER;
    if (found.inserted) {
        found.record = to_record(std::move(insertion.draft), nullptr, request.now);
        return {};
    }
    auto record = read_record(*request.reply, insertion.id);
    if (!record) return std::unexpected(std::move(record.error()));
    found.record = *std::move(record);
    return {};
}

Result<void> read_replaced(
    const RedisRequest& request, const RecordId& id, Change& change, Replaced& replaced
)
{
    replaced.now = request.now;
    replaced.done = request.reply->type == REDIS_REPLY_INTEGER;
    replaced.record.reset();
    if (replaced.done) {
        // Without the response, which the caller has.
        Record& record = replaced.record.emplace();
        change.next.raise_epoch = false;
        rewrite(record, std::move(change.next), request.now);
        record.token.epoch = request.reply->integer;
        return {};
    }
    auto record = read_found(request, id);
    if (!record) return std::unexpected(std::move(record.error()));
    replaced.record = *std::move(record);
    return {};
}

Result<void> read_heartbeat(const RedisRequest& request, const RecordId& id, Replaced& replaced)
{
    replaced.now = request.now;
    const redisReply& reply = *request.reply;
    if (reply.type == REDIS_REPLY_NIL) return {};
    if (reply.type != REDIS_REPLY_ARRAY || reply.elements != 2) return misshapen();
    auto record = read_record(*reply.element[1], id);
    if (!record) return std::unexpected(std::move(record.error()));
    replaced.done = reply.element[0]->integer == 1;
    replaced.record = *std::move(record);
    return {};
}

Result<std::optional<Record>> read_found(const RedisRequest& request, const RecordId& id)
{
    if (request.reply->type == REDIS_REPLY_NIL) return std::optional<Record>{};
    auto record = read_record(*request.reply, id);
    if (!record) return std::unexpected(std::move(record.error()));
    return std::optional{*std::move(record)};
}

}  // namespace umavez
