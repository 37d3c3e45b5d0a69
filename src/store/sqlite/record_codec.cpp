#include "store/sqlite/record_codec.hpp"

#include "core/transition.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <limits>

namespace umavez {
namespace {

void bind_instant(Statement& statement, int position, const std::optional<Instant>& instant)
{
    if (instant) {
        statement.bind(position, to_micros(*instant));
    } else {
        statement.bind_null(position);
    }
}

void bind_response(
    Statement& statement, const std::optional<StoredResponse>& stored, std::string& headers
)
{
    if (!stored) {
        statement.bind(22, std::int64_t{0});
        return;  // the others are null: a statement is used with its bindings cleared
    }
    statement.bind(20, std::int64_t{stored->response.status});
    statement.bind_blob(21, as_bytes(stored->digest));
    statement.bind(22, std::int64_t{stored->omitted});
    if (stored->response.entity) {
        statement.bind(23, stored->response.entity->type);
        statement.bind(24, stored->response.entity->id);
    }
    headers = encode_headers(stored->response.headers);
    statement.bind_blob(25, headers);
    statement.bind_blob(26, stored->response.body);
}

// Reads columns and remembers the first one that is not what it must be.
class ColumnReader {
public:
    explicit ColumnReader(const Statement& statement) noexcept : statement_(statement) {}

    std::int64_t integer(int column, std::int64_t least, std::int64_t most)
    {
        const std::int64_t value = statement_.integer(column);
        if (statement_.type(column) != SQLITE_INTEGER || value < least || value > most)
            refuse(column);
        return value;
    }
    bool boolean(int column) { return integer(column, 0, 1) != 0; }

    Instant instant(int column)
    {
        return from_micros(integer(column, 0, std::numeric_limits<std::int64_t>::max()));
    }
    std::optional<Instant> optional_instant(int column)
    {
        if (statement_.is_null(column)) return std::nullopt;
        return instant(column);
    }

    template <std::size_t size>
    void bytes(int column, std::array<std::uint8_t, size>& into)
    {
        const std::string_view found = statement_.blob(column);
        if (statement_.type(column) != SQLITE_BLOB || found.size() != size) return refuse(column);
        std::memcpy(into.data(), found.data(), size);
    }
    std::string_view text(int column)
    {
        if (statement_.type(column) != SQLITE_TEXT) refuse(column);
        return statement_.text(column);
    }
    std::string_view blob_or_nothing(int column)
    {
        const int type = statement_.type(column);
        if (type != SQLITE_BLOB && type != SQLITE_NULL) refuse(column);
        return statement_.blob(column);
    }
    bool is_null(int column) const { return statement_.is_null(column); }

    void refuse(int column)
    {
        if (refused_ < 0) refused_ = column;
    }
    int refused() const noexcept { return refused_; }

private:
    const Statement& statement_;
    int refused_ = -1;
};

std::unexpected<Error> fail_column(const Statement& statement, int column)
{
    return fail_corrupt(fmt::format(
        "row {} of umavez_records, column {} of its SELECT", statement.integer(0), column
    ));
}

std::optional<StoredResponse> read_response(ColumnReader& reader)
{
    if (reader.is_null(17)) return std::nullopt;
    StoredResponse stored;
    stored.response.status = static_cast<int>(reader.integer(17, 0, 999'999));
    reader.bytes(18, stored.digest);
    stored.omitted = reader.boolean(19);
    if (!reader.is_null(20)) {
        stored.response.entity =
            Entity{.type = std::string{reader.text(20)}, .id = std::string{reader.text(21)}};
    }
    auto headers = decode_headers(reader.blob_or_nothing(22));
    if (headers) {
        stored.response.headers = std::move(*headers);
    } else {
        reader.refuse(22);
    }
    stored.response.body = reader.blob_or_nothing(23);
    if (reader.refused() < 0 && !is_intact(stored)) reader.refuse(18);
    return stored;
}

}  // namespace

void bind_record(
    Statement& statement,
    const Record& record,
    const std::optional<StoredResponse>& response,
    std::string& headers
)
{
    statement.bind_blob(4, as_bytes(record.target.digest));
    statement.bind_blob(5, as_bytes(record.fingerprint.digest));
    statement.bind(6, std::int64_t{record.fingerprint.version});
    statement.bind(7, to_text(record.status));
    statement.bind(8, std::int64_t{record.final});
    statement.bind(9, to_text(record.mode));
    statement.bind(10, record.token.epoch);
    statement.bind_blob(11, as_bytes(record.token.execution));
    statement.bind(12, std::int64_t{record.attempts});
    statement.bind(13, std::int64_t{record.takeovers});
    bind_instant(statement, 14, record.retry_at);
    statement.bind(15, to_micros(record.created_at));
    statement.bind(16, to_micros(record.updated_at));
    bind_instant(statement, 17, record.completed_at);
    bind_instant(statement, 18, record.processing_expires_at);
    bind_instant(statement, 19, record.expires_at);
    bind_response(statement, response, headers);
    if (!record.checkpoint.empty()) statement.bind_blob(27, record.checkpoint);
}

Result<Record> read_record(const Statement& statement)
{
    constexpr std::int64_t count_max = std::numeric_limits<std::uint32_t>::max();
    ColumnReader reader{statement};
    Record record;
    reader.bytes(1, record.target.digest);
    reader.bytes(2, record.fingerprint.digest);
    record.fingerprint.version = static_cast<std::uint16_t>(reader.integer(3, 0, 65535));
    const auto status = parse_status(reader.text(4));
    if (!status) reader.refuse(4);
    record.status = status.value_or(Status::processing);
    record.final = reader.boolean(5);
    const auto mode = parse_mode(reader.text(6));
    if (!mode) reader.refuse(6);
    record.mode = mode.value_or(Mode::run);
    record.token.epoch = reader.integer(7, 0, std::numeric_limits<std::int64_t>::max());
    reader.bytes(8, record.token.execution);
    record.attempts = static_cast<std::uint32_t>(reader.integer(9, 0, count_max));
    record.takeovers = static_cast<std::uint32_t>(reader.integer(10, 0, count_max));
    record.retry_at = reader.optional_instant(11);
    record.created_at = reader.instant(12);
    record.updated_at = reader.instant(13);
    record.completed_at = reader.optional_instant(14);
    record.processing_expires_at = reader.optional_instant(15);
    record.expires_at = reader.optional_instant(16);
    record.response = read_response(reader);
    record.checkpoint = reader.blob_or_nothing(24);
    if (reader.refused() >= 0) return fail_column(statement, reader.refused());
    return record;
}

Result<Record> read_record_head(const Statement& statement)
{
    ColumnReader reader{statement};
    Record record;
    record.token.epoch = reader.integer(1, 0, std::numeric_limits<std::int64_t>::max());
    reader.bytes(2, record.token.execution);
    const auto status = parse_status(reader.text(3));
    if (!status) reader.refuse(3);
    record.status = status.value_or(Status::processing);
    record.processing_expires_at = reader.optional_instant(4);
    if (reader.refused() >= 0) return fail_column(statement, reader.refused());
    return record;
}

Result<RecordId> read_record_id(const Statement& statement, int first_column)
{
    auto tenant_id = TenantId::parse(statement.text(first_column));
    auto operation = Operation::parse(statement.text(first_column + 1));
    auto key = Key::parse(statement.text(first_column + 2));
    if (!tenant_id || !operation || !key) return fail_corrupt("the tenant, operation or key of a row");
    return RecordId{std::move(*tenant_id), std::move(*operation), std::move(*key)};
}

Result<NamedRecord> read_named_record(const Statement& statement)
{
    auto id = read_record_id(statement, 25);
    if (!id) return std::unexpected(std::move(id.error()));
    auto record = read_record(statement);
    if (!record) return std::unexpected(std::move(record.error()));
    return NamedRecord{std::move(*id), std::move(*record)};
}

}  // namespace umavez
