#pragma once

// The table umavez_tokens: what is kept of a token. Rows are never deleted: a database that had a
// token once never serves everybody again. Functions run inside the transaction they are given.

#include "access/caller.hpp"
#include "base/digest.hpp"

#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace umavez::access {

std::span<const Migration> token_migrations(Dialect dialect);

// Whose records a token opens: one tenant's, or (nullopt) everybody's, which only operators may
// have.
using TokenTenant = std::optional<TenantId>;

// "acme", or "*" for all.
Result<TokenTenant> parse_token_tenant(std::string_view text);
std::string to_text(const TokenTenant& tenant);

struct TokenRow {
    std::int64_t id = 0;
    TokenTenant tenant;
    Role role = Role::reader;
    std::string label;
    std::string ending;  // the last characters of the token, for people
    Digest digest{};
    Instant created_at{};
    std::optional<Instant> expires_at;
    std::optional<Instant> revoked_at;
};

// Gives the id.
Result<std::int64_t> insert_token(Transaction& transaction, const TokenRow& row);

Result<std::vector<TokenRow>> read_tokens(Transaction& transaction);

// Keeps the time of an earlier revocation. False: there is no such token.
Result<bool> revoke_token(Transaction& transaction, std::int64_t id);

}  // namespace umavez::access
