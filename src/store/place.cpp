#include "store/place.hpp"

#include "core/decide.hpp"

#include <algorithm>
#include <charconv>

namespace umavez {

std::string to_cursor(const Place& place)
{
    return std::to_string(to_micros(place.created_at)) + "/" + place.id.tenant_id.text() + "/" +
           place.id.operation.text() + "/" + place.id.key.text();
}

Result<std::optional<Place>> parse_cursor(std::string_view cursor)
{
    if (cursor.empty()) return std::optional<Place>{};
    const auto take = [&cursor] {
        const std::size_t slash = std::min(cursor.find('/'), cursor.size());
        const std::string_view part = cursor.substr(0, slash);
        cursor.remove_prefix(std::min(slash + 1, cursor.size()));
        return part;
    };
    const std::string_view micros = take();
    auto tenant_id = TenantId::parse(take());
    auto operation = Operation::parse(take());
    auto key = Key::parse(cursor);
    std::int64_t at = 0;
    const auto [end, error] = std::from_chars(micros.data(), micros.data() + micros.size(), at);
    if (error != std::errc{} || end != micros.data() + micros.size() || !tenant_id || !operation ||
        !key) {
        return fail(
            Errc::invalid_argument, "this cursor is none that a page gave; begin without one"
        );
    }
    return Place{from_micros(at), {*std::move(tenant_id), *std::move(operation), *std::move(key)}};
}

bool is_wanted(const RecordsQuery& query, const RecordId& id, const Record& record)
{
    return (!query.tenant_id || *query.tenant_id == id.tenant_id) &&
           (!query.operation || *query.operation == id.operation) &&
           (!query.status || *query.status == record.status) &&
           id.key.text().starts_with(query.key_prefix);
}

std::optional<Instant> due_since(
    const DueQuery& query, const RecordId& id, const Record& record, Instant now
)
{
    const bool is_abandoned = is_lease_over(record, now);
    const bool is_doubted =
        record.status == Status::in_doubt && record.retry_at && *record.retry_at <= now;
    if (!is_abandoned && !is_doubted) return std::nullopt;
    const auto& asked = is_abandoned ? query.abandoned : query.in_doubt;
    if (std::ranges::find(asked, id.operation) == asked.end()) return std::nullopt;
    return is_abandoned ? record.processing_expires_at : record.retry_at;
}

std::optional<Instant> spent_at(const Record& record) noexcept
{
    if (!record.expires_at || is_completed(record)) return record.expires_at;
    const bool is_run = record.status == Status::processing && record.mode == Mode::run;
    if (!is_run || !record.processing_expires_at) return std::nullopt;
    return std::max(*record.expires_at, *record.processing_expires_at);
}

}  // namespace umavez
