#pragma once

// TokenBook: the tokens of a database, and who is admitted by them.
//
// admit() looks at a snapshot in memory and does no I/O. The snapshot is read again after every
// change made here, and every few seconds by a thread of the book, which also makes good for a
// refresh that failed. A refresh that fails leaves the snapshot as it was: a database out of reach
// locks nobody out and lets nobody new in.
//
// Thread-safe. Is outlived by its database.

#include "access/token_table.hpp"
#include "access/token_text.hpp"

#include <umavez/response.hpp>
#include <umavez/task.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace umavez::access {

struct TokenBookOptions {
    std::optional<Duration> refresh_period = std::chrono::seconds{5};  // nullopt: only when asked
    Random* random = nullptr;  // nullptr: the system's; outlives the book
};

struct TokenDraft {
    TokenTenant tenant;
    Role role = Role::reader;
    std::string label;                 // at most 100 bytes of printable text; may be empty
    std::optional<Duration> lifetime;  // nullopt: until it is revoked
};

// What is wrong with a draft, for whoever has a form to show it on.
struct DraftMistake {
    std::string field;  // "label"
    std::string message;
};
std::optional<DraftMistake> find_mistake(const TokenDraft& draft);

struct NewToken {
    TokenRow row;
    std::string text;  // shown once: it is kept nowhere
};

class TokenBook {
public:
    // Prepares the table and reads it.
    static Result<std::unique_ptr<TokenBook>> open(
        Database& database, TokenBookOptions options = {}
    );
    ~TokenBook();
    TokenBook(const TokenBook&) = delete;
    TokenBook& operator=(const TokenBook&) = delete;

    // While the database has never had a token, everybody is an operator of all tenants, and writes
    // in the default one.
    std::expected<Caller, Denial> admit(const std::vector<Header>& headers, Instant now) const;
    bool is_empty() const noexcept { return is_empty_.load(); }  // no token was ever made

    Task<Result<void>> async_refresh();
    Result<void> refresh() { return wait(async_refresh()); }

    // invalid_argument: the draft has a mistake (find_mistake).
    Task<Result<NewToken>> async_create(TokenDraft draft);
    Result<NewToken> create(TokenDraft draft) { return wait(async_create(std::move(draft))); }

    // All of them, oldest first, also revoked ones.
    Task<Result<std::vector<TokenRow>>> async_list();
    Result<std::vector<TokenRow>> list() { return wait(async_list()); }

    // By id, among the tokens of `tenant`, or (nullopt) among all. Revoking twice is done once.
    // not_found: there is none.
    Task<Result<TokenRow>> async_revoke(std::int64_t id, TokenTenant tenant = std::nullopt);
    Result<TokenRow> revoke(std::int64_t id, TokenTenant tenant = std::nullopt)
    {
        return wait(async_revoke(id, std::move(tenant)));
    }

private:
    struct Snapshot;

    TokenBook(Database& database, const TokenBookOptions& options);
    std::shared_ptr<const Snapshot> snapshot() const;
    void show(std::shared_ptr<const Snapshot> fresh);  // under mutex_
    void refresh_every(std::stop_token stop, Duration period);
    void forget(std::int64_t id);

    Database& database_;
    Random& random_;
    mutable std::mutex mutex_;
    std::condition_variable_any stopping_;
    std::shared_ptr<const Snapshot> snapshot_;  // guarded by mutex_; never null after open()
    std::atomic<bool> is_empty_ = false;        // as snapshot_ says, for every single request
    std::uint64_t refreshes_begun_ = 0;         // guarded by mutex_
    std::uint64_t refresh_shown_ = 0;           // guarded by mutex_: the one that made snapshot_
    std::jthread refresher_;                    // last: it uses all of the above
};

}  // namespace umavez::access
