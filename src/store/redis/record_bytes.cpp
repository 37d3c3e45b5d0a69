#include "store/redis/record_bytes.hpp"

#include "core/decide.hpp"
#include "store/redis/byte_reader.hpp"

#include <algorithm>
#include <utility>

namespace umavez {
namespace {

constexpr std::size_t head_bytes = 62;
constexpr std::int64_t absent = -1;

enum ResponseFlags : std::uint8_t { has_response = 1, is_omitted = 2, has_entity = 4 };

void put_response(ByteWriter& out, const std::optional<StoredResponse>& stored)
{
    if (!stored) return out.number<std::uint8_t>(0);
    const Response& response = stored->response;
    out.number<std::uint8_t>(static_cast<std::uint8_t>(
        has_response | (stored->omitted ? is_omitted : 0) | (response.entity ? has_entity : 0)
    ));
    out.number(static_cast<std::int32_t>(response.status));
    out.bytes(stored->digest);
    if (response.entity) {
        out.text(response.entity->type);
        out.text(response.entity->id);
    }
    out.number(static_cast<std::uint32_t>(response.headers.size()));
    for (const Header& header : response.headers) {
        out.text(header.name);
        out.text(header.value);
    }
    out.text(response.body);
}

std::optional<StoredResponse> take_response(ByteReader& in)
{
    const auto flags = in.number<std::uint8_t>();
    if ((flags & has_response) == 0) {
        in.require(flags == 0);
        return std::nullopt;
    }
    in.require(flags <= (has_response | is_omitted | has_entity));
    StoredResponse stored;
    stored.omitted = (flags & is_omitted) != 0;
    stored.response.status = in.number<std::int32_t>();
    in.bytes(stored.digest);
    if ((flags & has_entity) != 0) {
        std::string type{in.text()};
        stored.response.entity = Entity{std::move(type), std::string{in.text()}};
    }
    const auto headers = in.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < headers && in.is_good(); ++i) {
        std::string name{in.text()};
        stored.response.headers.push_back({std::move(name), std::string{in.text()}});
    }
    stored.response.body = in.text();
    return stored;
}

std::optional<Instant> instant_of(std::int64_t micros)
{
    return micros == 0 ? std::nullopt : std::optional{from_micros(micros)};
}

// The head, as the scripts wrote it, and the size of the body.
std::size_t take_head(ByteReader& in, Record& record)
{
    in.require(in.number<char>() == 'A');
    const char status = in.number<char>();
    in.require(status >= '0' && status <= '3');
    record.status = static_cast<Status>(status - '0');
    record.updated_at = from_micros(in.number<std::int64_t>());
    record.processing_expires_at = instant_of(in.number<std::int64_t>());
    record.expires_at = instant_of(in.number<std::int64_t>());
    in.number<std::int64_t>();  // queued: the scripts' business
    record.token.epoch = in.number<std::int64_t>();
    in.bytes(record.token.execution);
    return in.number<std::uint32_t>();
}

RecordId take_identity(ByteReader& in)
{
    const auto tenant_id = TenantId::parse(in.text());
    const auto operation = Operation::parse(in.text());
    const auto key = Key::parse(in.text());
    if (tenant_id && operation && key) return {*tenant_id, *operation, *key};
    in.require(false);
    return {*TenantId::parse("x"), *Operation::parse("x"), *Key::parse("x")};
}

Result<NamedRecord> decode(std::string_view value, bool is_brief)
{
    ByteReader in{value};
    Record record;
    const std::size_t size = take_head(in, record);
    if (!is_brief) in.limit(size);
    const auto mode = in.number<std::uint8_t>();
    const auto final = in.number<std::uint8_t>();
    in.require(mode <= 1 && final <= 1);
    record.mode = static_cast<Mode>(mode);
    record.final = final == 1;
    in.bytes(record.target.digest);
    record.fingerprint.version = in.number<std::uint16_t>();
    in.bytes(record.fingerprint.digest);
    record.attempts = in.number<std::uint32_t>();
    record.takeovers = in.number<std::uint32_t>();
    const auto retry_in = in.number<std::int64_t>();
    if (retry_in != absent) record.retry_at = record.updated_at + Duration{retry_in};
    const auto created_at = in.number<std::int64_t>();
    record.created_at = created_at == absent ? record.updated_at : from_micros(created_at);
    if (is_completed(record)) record.completed_at = record.updated_at;
    RecordId id = take_identity(in);
    if (!is_brief) {
        record.checkpoint = in.text();
        record.response = take_response(in);
        in.require(in.is_at_end());
    }
    if (!in.is_good()) {
        return fail(Errc::corrupt_record, "a record in Redis is not what this program writes");
    }
    return NamedRecord{std::move(id), std::move(record)};
}

}  // namespace

std::string encode_tail(const RecordId& id, const Draft& draft)
{
    ByteWriter out;
    const std::size_t body = draft.response ? draft.response->response.body.size() : 0;
    out.reserve(320 + body + draft.checkpoint.size());
    out.bytes(draft.execution);
    out.number<std::uint32_t>(0);  // the size, when it is known
    const std::size_t begin = out.size();
    out.number(static_cast<std::uint8_t>(draft.mode));
    out.number<std::uint8_t>(draft.final ? 1 : 0);
    out.bytes(draft.target.digest);
    out.number(draft.fingerprint.version);
    out.bytes(draft.fingerprint.digest);
    out.number(draft.attempts);
    out.number(draft.takeovers);
    out.number<std::int64_t>(draft.retry_in ? draft.retry_in->count() : absent);
    out.number<std::int64_t>(draft.created_at ? to_micros(*draft.created_at) : absent);
    out.text(id.tenant_id.text());
    out.text(id.operation.text());
    out.text(id.key.text());
    out.text(draft.checkpoint);
    put_response(out, draft.response);
    out.number_at(begin - 4, static_cast<std::uint32_t>(out.size() - begin));
    return std::move(out).take();
}

std::string encode_token(const FencingToken& token)
{
    ByteWriter out;
    out.number(token.epoch);
    out.bytes(token.execution);
    return std::move(out).take();
}

std::string encode_note(const AuditNote& note)
{
    return static_cast<char>(note.event) + note.detail;
}

std::optional<Duration> queue_in(
    Status status, Mode mode, std::optional<Duration> lease, std::optional<Duration> expires_in
) noexcept
{
    if (!expires_in) return std::nullopt;
    if (status == Status::succeeded || status == Status::failed) return expires_in;
    if (status != Status::processing || mode != Mode::run || !lease) return std::nullopt;
    return std::max(*expires_in, *lease) - *lease;
}

Result<NamedRecord> decode_record(std::string_view value)
{
    return decode(value, false);
}

Result<NamedRecord> decode_brief(std::string_view value)
{
    return decode(value, true);
}

Result<std::vector<AuditEntry>> decode_story(
    const RecordId& id, std::string_view value, std::size_t count_max
)
{
    ByteReader head{value};
    Record ignored;
    const std::size_t size = head_bytes + take_head(head, ignored);
    std::vector<AuditEntry> entries;
    bool is_good = head.is_good() && size <= value.size();
    for (std::size_t at = size; is_good && at < value.size();) {
        ByteReader in{value.substr(at)};
        const std::size_t bytes = in.number<std::uint16_t>();
        in.limit(bytes);
        AuditEntry entry{
            .id = id, .at = from_micros(in.number<std::int64_t>()), .token = {}, .detail = {}
        };
        entry.token.epoch = in.number<std::int64_t>();
        in.bytes(entry.token.execution);
        const auto event = in.number<std::uint8_t>();
        in.require(event <= static_cast<std::uint8_t>(AuditEvent::remarked));
        entry.event = static_cast<AuditEvent>(event);
        entry.detail = in.rest();
        is_good = in.is_good();
        entries.push_back(std::move(entry));
        at += 2 + bytes;
    }
    if (!is_good) return fail(Errc::corrupt_record, "the story of a record in Redis is damaged");
    if (entries.size() > count_max) {
        entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(count_max));
    }
    return entries;
}

}  // namespace umavez
