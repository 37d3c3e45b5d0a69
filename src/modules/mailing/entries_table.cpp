#include "modules/mailing/entries_table.hpp"

#include "modules/parts/columns.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace umavez::mailing {
namespace {

constexpr std::string_view columns =
    "id, mailing_id, email, token, status, attempts, last_attempt, external_id, fields, line, "
    "error, "
    "uncertain_at";

std::optional<Instant> instant_at(const Row& row, std::size_t column)
{
    return row.is_null(column) ? std::nullopt : std::optional{from_micros(row.integer(column))};
}

Result<Entry> to_entry(const Row& row)
{
    const auto status = parse_entry_status(row.text(4));
    if (!status) {
        return fail(
            Errc::corrupt_record, fmt::format("status of entry {} cannot be read", row.integer(0))
        );
    }
    return Entry{
        .id = row.integer(0),
        .mailing_id = row.integer(1),
        .email = row.text(2),
        .token = row.text(3),
        .status = *status,
        .attempts = row.integer(5),
        .last_attempt = instant_at(row, 6),
        .external_id = modules::text_at(row, 7),
        .fields = modules::text_at(row, 8),
        .line = row.integer(9),
        .error = modules::text_at(row, 10),
        .uncertain_at = instant_at(row, 11),
    };
}

Result<InvalidLine> to_invalid_line(const Row& row)
{
    return InvalidLine{
        .id = row.integer(0),
        .line = row.integer(1),
        .content = row.text(2),
        .reason = row.text(3),
    };
}

// $1 mailing, $2 the last id of the page before, $3 how many.
std::string page_where(std::string_view condition)
{
    return fmt::format(
        "SELECT {} FROM mailing_entries WHERE mailing_id = $1 AND {} AND id > $2 ORDER BY id LIMIT "
        "$3",
        columns,
        condition
    );
}

std::string page_of_status(EntryStatus status)
{
    return page_where(fmt::format("status = '{}'", to_text(status)));
}

// A page of each status, and of those the first: the index by status serves them all, and the mailing's
// entries need no second one.
std::string page_of_all()
{
    constexpr std::array statuses = {
        EntryStatus::pending,
        EntryStatus::sending,
        EntryStatus::sent,
        EntryStatus::failed,
        EntryStatus::unknown,
    };
    std::string sql = fmt::format("SELECT {} FROM (", columns);
    for (const EntryStatus status : statuses) {
        if (status != statuses.front()) sql += " UNION ALL ";
        sql += fmt::format("SELECT * FROM ({}) AS of_{}", page_of_status(status), to_text(status));
    }
    return sql + ") AS entries ORDER BY id LIMIT $3";
}

std::string page_sql(const EntryFilter& filter)
{
    if (filter.only_uncertain) {
        std::string condition = "uncertain_at IS NOT NULL";
        if (filter.status) condition += fmt::format(" AND status = '{}'", to_text(*filter.status));
        return page_where(condition);
    }
    return filter.status ? page_of_status(*filter.status) : page_of_all();
}

}  // namespace

Result<modules::Listed<Entry>> list_entries(
    Transaction& transaction,
    std::int64_t mailing_id,
    const EntryFilter& filter,
    const modules::Page& page
)
{
    auto rows = modules::all_rows(
        transaction.query(page_sql(filter), {mailing_id, page.after, page.limit + 1}), to_entry
    );
    if (!rows) return std::unexpected(rows.error());
    return modules::to_listed(*std::move(rows), page);
}

Result<modules::Listed<InvalidLine>> list_invalid_lines(
    Transaction& transaction, std::int64_t mailing_id, const modules::Page& page
)
{
    // By line, which is what the index has, and unique: the cursor is the line.
    auto rows = modules::all_rows(
        transaction.query(
            "SELECT line, line, content, reason FROM mailing_invalid_lines WHERE tenant_id = "
            "(SELECT tenant_id FROM mailings WHERE id = $1) AND mailing_id = $1 AND line > $2 "
            "ORDER BY line LIMIT $3",
            {mailing_id, page.after, page.limit + 1}
        ),
        to_invalid_line
    );
    if (!rows) return std::unexpected(rows.error());
    return modules::to_listed(*std::move(rows), page);
}

Result<std::int64_t> count_uncertain(Transaction& transaction, std::int64_t mailing_id)
{
    const auto rows = transaction.query(
        "SELECT count(*) FROM mailing_entries WHERE mailing_id = $1 AND uncertain_at IS NOT NULL",
        {mailing_id}
    );
    if (!rows) return std::unexpected(rows.error());
    return rows->front().integer(0);
}

Result<std::optional<EntryOwner>> find_entry_owner(Transaction& transaction, std::int64_t entry_id)
{
    const auto to_owner = [](const Row& row) -> Result<EntryOwner> {
        auto tenant_id = TenantId::parse(row.text(0));
        if (!tenant_id) return fail(Errc::corrupt_record, "tenant of an entry cannot be read");
        return EntryOwner{*std::move(tenant_id), row.text(1), row.text(2), row.text(3)};
    };
    return modules::only_row(
        transaction.query(
            "SELECT e.tenant_id, m.uuid, e.email, e.token FROM mailing_entries e "
            "JOIN mailings m ON m.id = e.mailing_id WHERE e.id = $1",
            {entry_id}
        ),
        to_owner
    );
}

}  // namespace umavez::mailing
