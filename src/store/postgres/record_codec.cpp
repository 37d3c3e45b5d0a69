#include "store/postgres/record_codec.hpp"

#include "base/limits.hpp"
#include "base/utf8.hpp"
#include "core/transition.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

namespace umavez::pg {
namespace {

// Reads columns and remembers the first one that is not what it must be.
class ColumnReader {
public:
    ColumnReader(const Answer& answer, std::size_t row) noexcept : answer_(answer), row_(row) {}

    std::int64_t integer(std::size_t column, std::int64_t least, std::int64_t most)
    {
        if (is_null(column)) refuse(column);
        const std::int64_t value = answer_.integer(row_, column);
        if (value < least || value > most) refuse(column);
        return value;
    }
    bool boolean(std::size_t column) { return integer(column, 0, 1) != 0; }
    Instant instant(std::size_t column)
    {
        return from_micros(integer(column, 0, std::numeric_limits<std::int64_t>::max()));
    }
    std::optional<Instant> optional_instant(std::size_t column)
    {
        if (is_null(column)) return std::nullopt;
        return instant(column);
    }
    template <std::size_t size>
    void bytes(std::size_t column, std::array<std::uint8_t, size>& into)
    {
        const std::string_view found = answer_.bytes(row_, column);
        if (found.size() != size) return refuse(column);
        std::memcpy(into.data(), found.data(), size);
    }
    std::string_view text(std::size_t column)
    {
        if (is_null(column)) refuse(column);
        return answer_.bytes(row_, column);
    }
    std::string_view bytes_or_nothing(std::size_t column) const
    {
        return is_null(column) ? std::string_view{} : answer_.bytes(row_, column);
    }
    bool is_null(std::size_t column) const { return answer_.is_null(row_, column); }
    void refuse(std::size_t column)
    {
        if (!refused_) refused_ = column;
    }
    const std::optional<std::size_t>& refused() const noexcept { return refused_; }

private:
    const Answer& answer_;
    const std::size_t row_;
    std::optional<std::size_t> refused_;
};

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
    auto headers = decode_headers(reader.bytes_or_nothing(22));
    if (headers) {
        stored.response.headers = std::move(*headers);
    } else {
        reader.refuse(22);
    }
    stored.response.body = reader.bytes_or_nothing(23);
    if (!reader.refused() && !is_intact(stored)) reader.refuse(18);
    return stored;
}

std::optional<std::int64_t> micros(const std::optional<Instant>& instant)
{
    return instant ? std::optional{to_micros(*instant)} : std::nullopt;
}

std::optional<std::int64_t> micros(const std::optional<Duration>& duration)
{
    return duration ? std::optional{duration->count()} : std::nullopt;
}

const StoredResponse* response_of(const DraftRow& row)
{
    return row.draft->response ? &*row.draft->response : nullptr;
}

const Entity* entity_of(const DraftRow& row)
{
    const StoredResponse* const stored = response_of(row);
    return stored != nullptr && stored->response.entity ? &*stored->response.entity : nullptr;
}

// An array whose elements may be absent.
template <typename Projection>
void add_optional(
    Parameters& parameters, Oid element, std::span<const DraftRow> rows, Projection append
)
{
    parameters.begin_array(element, rows.size());
    for (const DraftRow& row : rows) {
        if (!append(row)) parameters.element_null();
    }
}

void add_responses(Parameters& parameters, std::span<const DraftRow> rows)
{
    const auto with_response = [&](Oid element, auto append) {
        add_optional(parameters, element, rows, [&](const DraftRow& row) {
            const StoredResponse* const stored = response_of(row);
            if (stored == nullptr) return false;
            append(*stored);
            return true;
        });
    };
    const auto with_entity = [&](auto of) {
        add_optional(parameters, type::text, rows, [&](const DraftRow& row) {
            const Entity* const entity = entity_of(row);
            if (entity == nullptr) return false;
            parameters.element(std::string_view{of(*entity)});
            return true;
        });
    };
    with_response(type::int8, [&](const StoredResponse& stored) {
        parameters.element(std::int64_t{stored.response.status});
    });
    with_response(type::bytea, [&](const StoredResponse& stored) {
        parameters.element(as_bytes(stored.digest));
    });
    with_response(type::int8, [&](const StoredResponse& stored) {
        parameters.element(std::int64_t{stored.omitted});
    });
    with_entity([](const Entity& entity) -> const std::string& { return entity.type; });
    with_entity([](const Entity& entity) -> const std::string& { return entity.id; });
    with_response(type::bytea, [&](const StoredResponse& stored) {
        parameters.element(std::string_view{encode_headers(stored.response.headers)});
    });
    with_response(type::bytea, [&](const StoredResponse& stored) {
        parameters.element(std::string_view{stored.response.body});
    });
}

}  // namespace

Result<Record> read_record(const Answer& answer, std::size_t row)
{
    constexpr std::int64_t count_max = std::numeric_limits<std::uint32_t>::max();
    ColumnReader reader{answer, row};
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
    record.checkpoint = reader.bytes_or_nothing(24);
    if (!reader.refused()) return record;
    return fail_corrupt(fmt::format(
        "row {} of umavez_records, column {} of its SELECT",
        answer.integer(row, 0),
        *reader.refused()
    ));
}

Result<RecordId> read_record_id(const Answer& answer, std::size_t row, std::size_t first_column)
{
    auto tenant_id = TenantId::parse(answer.bytes(row, first_column));
    auto operation = Operation::parse(answer.bytes(row, first_column + 1));
    auto key = Key::parse(answer.bytes(row, first_column + 2));
    if (!tenant_id || !operation || !key)
        return fail_corrupt("the tenant, operation or key of a row");
    return RecordId{std::move(*tenant_id), std::move(*operation), std::move(*key)};
}

Result<NamedRecord> read_named_record(const Answer& answer, std::size_t row)
{
    auto id = read_record_id(answer, row, 25);
    if (!id) return std::unexpected(std::move(id.error()));
    auto record = read_record(answer, row);
    if (!record) return std::unexpected(std::move(record.error()));
    return NamedRecord{std::move(*id), std::move(*record)};
}

Result<void> check_draft(const Draft& draft)
{
    if (auto within = check_limits(draft); !within) return within;
    if (!draft.response || !draft.response->response.entity) return {};
    const Entity& entity = *draft.response->response.entity;
    for (const std::string* const text : {&entity.type, &entity.id}) {
        if (*text != storable(*text)) {
            return fail(
                Errc::invalid_argument, "an entity's type or id is no text: UTF-8 without NUL"
            );
        }
    }
    return {};
}

std::string storable(std::string_view detail)
{
    std::string text{detail};
    if (is_utf8(text) && text.find('\0') == std::string::npos) return text;
    for (char& byte : text) {
        if (static_cast<unsigned char>(byte) >= 0x80 || byte == '\0') byte = '?';
    }
    return text;
}

void add_record_id(Parameters& parameters, const RecordId& id)
{
    parameters.add_typed_text(id.tenant_id.text());
    parameters.add_typed_text(id.operation.text());
    parameters.add_typed_text(id.key.text());
}

void add_record(
    Parameters& parameters,
    const Record& record,
    const std::optional<StoredResponse>& response,
    std::string& headers
)
{
    parameters.add_bytes(as_bytes(record.target.digest));
    parameters.add_bytes(as_bytes(record.fingerprint.digest));
    parameters.add(std::int64_t{record.fingerprint.version});
    parameters.add_typed_text(to_text(record.status));
    parameters.add(std::int64_t{record.final});
    parameters.add_typed_text(to_text(record.mode));
    parameters.add(record.token.epoch);
    parameters.add_bytes(as_bytes(record.token.execution));
    parameters.add(std::int64_t{record.attempts});
    parameters.add(std::int64_t{record.takeovers});
    parameters.add(micros(record.retry_at));
    parameters.add(to_micros(record.created_at));
    parameters.add(to_micros(record.updated_at));
    parameters.add(micros(record.completed_at));
    parameters.add(micros(record.processing_expires_at));
    parameters.add(micros(record.expires_at));
    add_response(parameters, response, headers);
    add_checkpoint(parameters, record.checkpoint);
}

void add_response(
    Parameters& parameters, const std::optional<StoredResponse>& response, std::string& headers
)
{
    if (response) {
        parameters.add(std::int64_t{response->response.status});
        parameters.add_bytes(as_bytes(response->digest));
        parameters.add(std::int64_t{response->omitted});
    } else {
        parameters.add_null(type::int8);
        parameters.add_null(type::bytea);
        parameters.add(std::int64_t{0});
    }
    if (response && response->response.entity) {
        parameters.add_typed_text(response->response.entity->type);
        parameters.add_typed_text(response->response.entity->id);
    } else {
        parameters.add_null(type::text);
        parameters.add_null(type::text);
    }
    if (response) {
        headers = encode_headers(response->response.headers);
        parameters.add_bytes(headers);
        parameters.add_bytes(response->response.body);
    } else {
        parameters.add_null(type::bytea);
        parameters.add_null(type::bytea);
    }
}

void add_checkpoint(Parameters& parameters, const std::string& checkpoint)
{
    if (checkpoint.empty()) {
        parameters.add_null(type::bytea);
    } else {
        parameters.add_bytes(checkpoint);
    }
}

void add_record_ids(Parameters& parameters, std::span<const DraftRow> rows)
{
    add_texts(parameters, rows, [](const DraftRow& row) -> std::string_view {
        return row.id->tenant_id.text();
    });
    add_texts(parameters, rows, [](const DraftRow& row) -> std::string_view {
        return row.id->operation.text();
    });
    add_texts(parameters, rows, [](const DraftRow& row) -> std::string_view {
        return row.id->key.text();
    });
}

void add_drafts(Parameters& parameters, std::span<const DraftRow> rows)
{
    const auto integers = [&](auto of) {
        add_integers(parameters, rows, [&](const DraftRow& row) { return of(*row.draft); });
    };
    add_bytes(parameters, rows, [](const DraftRow& row) {
        return as_bytes(row.draft->target.digest);
    });
    add_bytes(parameters, rows, [](const DraftRow& row) {
        return as_bytes(row.draft->fingerprint.digest);
    });
    integers([](const Draft& draft) { return std::int64_t{draft.fingerprint.version}; });
    add_texts(parameters, rows, [](const DraftRow& row) { return to_text(row.draft->status); });
    integers([](const Draft& draft) { return std::int64_t{draft.final}; });
    add_texts(parameters, rows, [](const DraftRow& row) { return to_text(row.draft->mode); });
    integers([](const Draft& draft) { return std::int64_t{draft.raise_epoch}; });
    add_bytes(parameters, rows, [](const DraftRow& row) { return as_bytes(row.draft->execution); });
    integers([](const Draft& draft) { return std::int64_t{draft.attempts}; });
    integers([](const Draft& draft) { return std::int64_t{draft.takeovers}; });
    integers([](const Draft& draft) { return micros(draft.retry_in); });
    integers([](const Draft& draft) { return micros(draft.created_at); });
    integers([](const Draft& draft) { return micros(draft.lease); });
    integers([](const Draft& draft) { return micros(draft.expires_in); });
    add_responses(parameters, rows);
    add_optional(parameters, type::bytea, rows, [&](const DraftRow& row) {
        if (row.draft->checkpoint.empty()) return false;
        parameters.element(std::string_view{row.draft->checkpoint});
        return true;
    });
    add_optional(parameters, type::text, rows, [&](const DraftRow& row) {
        if (!*row.audit) return false;
        parameters.element(to_text((*row.audit)->event));
        return true;
    });
    add_optional(parameters, type::text, rows, [&](const DraftRow& row) {
        if (!*row.audit) return false;
        parameters.element(std::string_view{storable((*row.audit)->detail)});
        return true;
    });
}

}  // namespace umavez::pg
