#include "modules/mailing/mailings_table.hpp"

#include "modules/parts/columns.hpp"

#include <fmt/format.h>

namespace umavez::mailing {
namespace {

std::optional<Instant> instant_at(const Row& row, std::size_t column)
{
    return row.is_null(column) ? std::nullopt : std::optional{from_micros(row.integer(column))};
}

std::optional<Message> message_at(const Row& row, std::size_t column)
{
    if (row.is_null(column)) return std::nullopt;
    return Message{
        .assunto = row.text(column),
        .remetente = modules::text_at(row, column + 1).value_or(""),
        .texto = modules::text_at(row, column + 2).value_or(""),
        .html = modules::text_at(row, column + 3).value_or(""),
    };
}

}  // namespace

constinit const std::string_view select_mailing =
    "SELECT id, uuid, tenant_id, filename, content_sha256, content_bytes, storage_url, status, "
    "assunto, remetente, texto, html, incerteza, read_bytes, read_lines, is_ingested, entries, "
    "duplicates, invalid, sent, failed, unknown, last_attempt, error, created_at, updated_at, "
    "completed_at FROM mailings ";

// A page of mailings with their bodies would be a hundred megabytes, for an answer that shows neither.
constinit const std::string_view select_mailing_head =
    "SELECT id, uuid, tenant_id, filename, content_sha256, content_bytes, storage_url, status, "
    "assunto, remetente, NULL, NULL, incerteza, read_bytes, read_lines, is_ingested, entries, "
    "duplicates, invalid, sent, failed, unknown, last_attempt, error, created_at, updated_at, "
    "completed_at FROM mailings ";

Result<Mailing> to_mailing(const Row& row)
{
    auto tenant_id = TenantId::parse(row.text(2));
    const auto status = parse_status(row.text(7));
    const auto incerteza = parse_incerteza(row.text(12));
    if (!tenant_id || !status || !incerteza) {
        return fail(
            Errc::corrupt_record,
            fmt::format("tenant, status or incerteza of mailing {} cannot be read", row.integer(0))
        );
    }
    return Mailing{
        .id = row.integer(0),
        .uuid = row.text(1),
        .tenant_id = *std::move(tenant_id),
        .filename = row.text(3),
        .content_sha256 = row.text(4),
        .content_bytes = row.integer(5),
        .storage_url = modules::text_at(row, 6),
        .status = *status,
        .message = message_at(row, 8),
        .incerteza = *incerteza,
        .read_bytes = row.integer(13),
        .read_lines = row.integer(14),
        .is_ingested = row.integer(15) != 0,
        .counts =
            {.entries = row.integer(16),
             .duplicates = row.integer(17),
             .invalid = row.integer(18),
             .sent = row.integer(19),
             .failed = row.integer(20),
             .unknown = row.integer(21)},
        .last_attempt = instant_at(row, 22),
        .error = modules::text_at(row, 23),
        .created_at = from_micros(row.integer(24)),
        .updated_at = from_micros(row.integer(25)),
        .completed_at = instant_at(row, 26),
    };
}

namespace {

const modules::EntityRows<Mailing> rows_of{select_mailing, to_mailing};
const modules::EntityRows<Mailing> heads_of{select_mailing_head, to_mailing};

}  // namespace

Result<std::optional<Mailing>> find_mailing(
    Transaction& transaction, const TenantId& tenant_id, std::string_view uuid
)
{
    return rows_of.only(
        transaction, "WHERE uuid = $1 AND tenant_id = $2", {std::string{uuid}, tenant_id.text()}
    );
}

Result<std::optional<Mailing>> find_mailing_head(
    Transaction& transaction, const TenantId& tenant_id, std::string_view uuid
)
{
    return heads_of.only(
        transaction, "WHERE uuid = $1 AND tenant_id = $2", {std::string{uuid}, tenant_id.text()}
    );
}

Result<std::optional<Mailing>> find_mailing_locked(
    Transaction& transaction, const TenantId& tenant_id, std::string_view uuid
)
{
    return rows_of.only(
        transaction,
        fmt::format(
            "WHERE uuid = $1 AND tenant_id = $2{}", modules::row_lock(transaction.dialect())
        ),
        {std::string{uuid}, tenant_id.text()}
    );
}

Result<modules::Listed<Mailing>> list_mailings(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::optional<Status> status,
    const modules::Page& page
)
{
    modules::Conditions conditions;
    if (status) conditions.add("status", std::string{to_text(*status)});
    return heads_of.list(transaction, tenant_id, page, conditions);
}

}  // namespace umavez::mailing
