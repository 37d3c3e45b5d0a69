#include "access/token_book.hpp"

#include "base/limits.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez::access {
namespace {

// Fits every column that keeps a usuario; the table checks characters, which are never more.
constexpr std::size_t label_bytes_max = 100;

}  // namespace

std::optional<DraftMistake> find_mistake(const TokenDraft& draft)
{
    if (!draft.tenant && draft.role != Role::operator_) {
        return DraftMistake{
            "tenant",
            "\"*\" is for operators, who look after all tenants; name one tenant for a reader or "
            "writer"
        };
    }
    if (draft.label.size() > label_bytes_max) {
        return DraftMistake{
            "label",
            fmt::format("{} bytes, at most {} are allowed", draft.label.size(), label_bytes_max)
        };
    }
    if (!is_utf8(draft.label)) return DraftMistake{"label", "not valid UTF-8"};
    for (std::string_view rest = draft.label; !rest.empty();) {
        if (is_control(take_character(rest))) {
            return DraftMistake{"label", "contains a control character"};
        }
    }
    if (draft.lifetime &&
        (*draft.lifetime <= Duration::zero() || *draft.lifetime > limits::duration_max)) {
        return DraftMistake{"lifetime", "must be more than nothing and at most 100 years"};
    }
    return std::nullopt;
}

// Live and expired tokens, found by digest. Sorted by it: what a search by halves tells by its time
// is about digests, from which nobody gets back to a token; the digest found is compared in
// constant time nevertheless.
struct TokenBook::Snapshot {
    std::vector<TokenRow> tokens;
    bool had_none = true;

    explicit Snapshot(std::vector<TokenRow> rows)
        : tokens(std::move(rows)), had_none(tokens.empty())
    {
        std::erase_if(tokens, [](const TokenRow& row) { return row.revoked_at.has_value(); });
        std::ranges::sort(tokens, {}, &TokenRow::digest);
    }

    const TokenRow* find(const Digest& digest) const
    {
        const auto found = std::ranges::lower_bound(tokens, digest, {}, &TokenRow::digest);
        const bool is_here = found != tokens.end() && is_equal_secret(found->digest, digest);
        return is_here ? &*found : nullptr;
    }
};

TokenBook::TokenBook(Database& database, const TokenBookOptions& options)
    : database_(database), random_(options.random == nullptr ? system_random() : *options.random)
{
}

TokenBook::~TokenBook() = default;

Result<std::unique_ptr<TokenBook>> TokenBook::open(Database& database, TokenBookOptions options)
{
    if (auto done = database.migrate(token_migrations(database.dialect())); !done)
        return std::unexpected(done.error());
    std::unique_ptr<TokenBook> book{new TokenBook(database, options)};
    if (auto done = book->refresh(); !done) return std::unexpected(done.error());
    if (options.refresh_period) {
        book->refresher_ =
            std::jthread{[&book = *book, period = *options.refresh_period](std::stop_token stop) {
                book.refresh_every(std::move(stop), period);
            }};
    }
    return book;
}

std::shared_ptr<const TokenBook::Snapshot> TokenBook::snapshot() const
{
    const std::lock_guard guard{mutex_};
    return snapshot_;
}

void TokenBook::show(std::shared_ptr<const Snapshot> fresh)
{
    is_empty_ = fresh->had_none;
    snapshot_ = std::move(fresh);
}

std::expected<Caller, Denial> TokenBook::admit(const std::vector<Header>& headers, Instant now)
    const
{
    std::string usuario = find_usuario(headers).value_or("");
    if (is_empty()) return Caller{default_tenant(), Role::operator_, std::move(usuario), {}, true};

    const auto text = find_bearer(headers);
    if (!text) return std::unexpected(text.error());
    const auto tokens = snapshot();
    const TokenRow* const token = tokens->find(sha256(*text));
    if (token == nullptr) return std::unexpected(Denial::unknown);
    if (token->expires_at && *token->expires_at <= now) return std::unexpected(Denial::expired);
    return Caller{
        .tenant_id = token->tenant.value_or(default_tenant()),
        .role = token->role,
        .usuario = usuario.empty() ? token->label : std::move(usuario),
        .label = token->label,
        .all_tenants = !token->tenant,
    };
}

Task<Result<void>> TokenBook::async_refresh()
{
    std::uint64_t number = 0;
    {
        const std::lock_guard guard{mutex_};
        number = ++refreshes_begun_;
    }
    auto rows = co_await async_list();
    if (!rows) co_return std::unexpected(rows.error());
    auto fresh = std::make_shared<const Snapshot>(*std::move(rows));
    const std::lock_guard guard{mutex_};
    // One that began later has seen more.
    if (number > refresh_shown_) {
        refresh_shown_ = number;
        show(std::move(fresh));
    }
    co_return Result<void>{};
}

void TokenBook::refresh_every(std::stop_token stop, Duration period)
{
    for (;;) {
        {
            std::unique_lock lock{mutex_};
            stopping_.wait_for(lock, stop, period, [] { return false; });
        }
        if (stop.stop_requested()) return;
        // A failure, of memory too, leaves the snapshot as it is, and the next period tries again.
        try {
            std::ignore = refresh();
        } catch (const std::exception&) {
            continue;
        }
    }
}

Task<Result<NewToken>> TokenBook::async_create(TokenDraft draft)
{
    if (const auto mistake = find_mistake(draft)) {
        co_return fail(
            Errc::invalid_argument, fmt::format("{}: {}", mistake->field, mistake->message)
        );
    }
    NewToken made;
    made.text = make_token(random_);
    made.row.tenant = std::move(draft.tenant);
    made.row.role = draft.role;
    made.row.label = std::move(draft.label);
    made.row.ending = made.text.substr(made.text.size() - ending_chars);
    made.row.digest = sha256(made.text);
    Closure insert = [&made, lifetime = draft.lifetime](Transaction& transaction) -> Result<void> {
        made.row.created_at = transaction.now();
        if (lifetime) made.row.expires_at = transaction.now() + *lifetime;
        const auto id = insert_token(transaction, made.row);
        if (!id) return std::unexpected(id.error());
        made.row.id = *id;
        return {};
    };
    if (auto done = co_await database_.async_transact(std::move(insert)); !done) {
        co_return std::unexpected(done.error());
    }
    // It is in the table, and its text would be lost with an error: the next refresh admits it.
    std::ignore = co_await async_refresh();
    co_return made;
}

Task<Result<std::vector<TokenRow>>> TokenBook::async_list()
{
    std::vector<TokenRow> rows;
    Closure read = [&rows](Transaction& transaction) -> Result<void> {
        auto found = read_tokens(transaction);
        if (!found) return std::unexpected(found.error());
        rows = *std::move(found);
        return {};
    };
    if (auto done = co_await database_.async_read(std::move(read)); !done) {
        co_return std::unexpected(done.error());
    }
    co_return rows;
}

Task<Result<TokenRow>> TokenBook::async_revoke(std::int64_t id, TokenTenant tenant)
{
    std::optional<TokenRow> revoked;
    Closure revoke = [&revoked, id, &tenant](Transaction& transaction) -> Result<void> {
        revoked.reset();
        const auto rows = read_tokens(transaction);
        if (!rows) return std::unexpected(rows.error());
        const auto row = std::ranges::find(*rows, id, &TokenRow::id);
        if (row == rows->end() || (tenant && row->tenant != tenant)) return {};
        if (const auto done = revoke_token(transaction, id); !done)
            return std::unexpected(done.error());
        revoked = *row;
        if (!revoked->revoked_at) revoked->revoked_at = transaction.now();
        return {};
    };
    if (auto done = co_await database_.async_transact(std::move(revoke)); !done) {
        co_return std::unexpected(done.error());
    }
    if (!revoked) {
        co_return fail(
            Errc::not_found, fmt::format("there is no token {}; umavez token list shows them", id)
        );
    }
    // It is revoked, whatever becomes of the refresh.
    forget(id);
    std::ignore = co_await async_refresh();
    co_return *std::move(revoked);
}

void TokenBook::forget(std::int64_t id)
{
    const std::lock_guard guard{mutex_};
    auto rest = std::make_shared<Snapshot>(*snapshot_);
    std::erase_if(rest->tokens, [id](const TokenRow& row) { return row.id == id; });
    show(std::move(rest));
}

}  // namespace umavez::access
