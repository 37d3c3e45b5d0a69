#include "access/token_table.hpp"

#include <algorithm>
#include <array>

namespace umavez::access {
namespace {

// Instants are microseconds since 1970 by the database's clock; null means "never".
constexpr std::string_view sqlite_1 = R"(
CREATE TABLE umavez_tokens (
    id INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    role TEXT NOT NULL CHECK (role IN ('reader', 'writer', 'operator')),
    label TEXT NOT NULL CHECK (length(label) <= 100),
    ending TEXT NOT NULL CHECK (length(ending) = 4),
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    CHECK (tenant_id <> '*' OR role = 'operator')
) STRICT;
)";

constexpr std::string_view postgres_1 = R"(
CREATE TABLE umavez_tokens (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    role text NOT NULL CHECK (role IN ('reader', 'writer', 'operator')),
    label text NOT NULL CHECK (length(label) <= 100),
    ending text NOT NULL CHECK (length(ending) = 4),
    digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    CHECK (tenant_id <> '*' OR role = 'operator')
);
)";

Value to_value(const std::optional<Instant>& instant)
{
    return instant ? Value{to_micros(*instant)} : Value{};
}

std::optional<Instant> to_instant(const Row& row, std::size_t column)
{
    if (row.is_null(column)) return std::nullopt;
    return from_micros(row.integer(column));
}

Result<TokenRow> to_token(const Row& row)
{
    auto tenant = parse_token_tenant(row.text(1));
    const auto role = parse_role(row.text(2));
    TokenRow token;
    if (!tenant || !role || row.blob(5).size() != token.digest.size()) {
        return fail(
            Errc::corrupt_record,
            "token " + std::to_string(row.integer(0)) + " has a tenant, role or digest that is none"
        );
    }
    token.id = row.integer(0);
    token.tenant = *std::move(tenant);
    token.role = *role;
    token.label = row.text(3);
    token.ending = row.text(4);
    std::ranges::copy(row.blob(5), token.digest.begin());
    token.created_at = from_micros(row.integer(6));
    token.expires_at = to_instant(row, 7);
    token.revoked_at = to_instant(row, 8);
    return token;
}

}  // namespace

std::span<const Migration> token_migrations(Dialect dialect)
{
    static const std::array sqlite = {
        Migration{.module = "access", .version = 1, .sql = std::string{sqlite_1}},
    };
    static const std::array postgres = {
        Migration{.module = "access", .version = 1, .sql = std::string{postgres_1}},
    };
    switch (dialect) {
        case Dialect::sqlite: return sqlite;
        case Dialect::postgres: return postgres;
    }
    return {};
}

Result<TokenTenant> parse_token_tenant(std::string_view text)
{
    if (text == "*") return TokenTenant{};
    auto tenant = TenantId::parse(text);
    if (!tenant) return std::unexpected(tenant.error());
    return TokenTenant{*std::move(tenant)};
}

std::string to_text(const TokenTenant& tenant)
{
    return tenant ? tenant->text() : "*";
}

Result<std::int64_t> insert_token(Transaction& transaction, const TokenRow& row)
{
    const auto inserted = transaction.insert(
        "INSERT INTO umavez_tokens (tenant_id, role, label, ending, digest, created_at, "
        "expires_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7)",
        {to_text(row.tenant),
         std::string{to_text(row.role)},
         row.label,
         row.ending,
         Blob{{row.digest.begin(), row.digest.end()}},
         to_micros(row.created_at),
         to_value(row.expires_at)}
    );
    if (!inserted) return std::unexpected(inserted.error());
    return inserted->value();
}

Result<std::vector<TokenRow>> read_tokens(Transaction& transaction)
{
    const auto rows = transaction.query(
        "SELECT id, tenant_id, role, label, ending, digest, created_at, expires_at, revoked_at "
        "FROM umavez_tokens ORDER BY id"
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<TokenRow> tokens;
    tokens.reserve(rows->size());
    for (const Row& row : *rows) {
        auto token = to_token(row);
        if (!token) return std::unexpected(token.error());
        tokens.push_back(*std::move(token));
    }
    return tokens;
}

Result<bool> revoke_token(Transaction& transaction, std::int64_t id)
{
    const auto changed = transaction.execute(
        "UPDATE umavez_tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1",
        {id, to_micros(transaction.now())}
    );
    if (!changed) return std::unexpected(changed.error());
    return *changed > 0;
}

}  // namespace umavez::access
