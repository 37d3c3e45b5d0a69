#pragma once

// Lease: the owner's right to perform one outside effect, and the only way to complete it.
//
// Heartbeats run by themselves while a lease is open. finish, fail, doubt and untouched consume it; a lease
// that is dropped does no I/O and leaves its key to expiry, where the operation's policy decides.
//
// Move-only. Its methods are called by one thread at a time; lost() may be watched from any.

#include <umavez/outcome.hpp>
#include <umavez/record.hpp>
#include <umavez/result.hpp>
#include <umavez/task.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace umavez {

class EngineImpl;
class LeaseState;

class [[nodiscard]] Lease {
public:
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) noexcept;
    ~Lease();

    const RecordId& id() const noexcept;
    const FencingToken& token() const noexcept;

    // Hand this to the other side, so that it can recognise a repetition: it is the same in every attempt.
    const std::string& effect_key() const noexcept;

    // What the previous owner saved last; empty if nothing.
    const std::string& checkpoint() const noexcept;
    std::uint32_t attempts() const noexcept;

    // Stop is requested shortly before the lease can end without our knowledge, at once when a heartbeat
    // is refused, and when run_limit is over. Whoever goes on after it may run beside a new owner.
    std::stop_token lost() const noexcept;

    // Not consumed yet. After finish(Transaction&, …) it stays open until a later call, or the end of the
    // handler, finds that the transaction committed.
    bool is_open() const noexcept;

    // Keeps progress for the next owner, at most limits::checkpoint_bytes_max.
    Result<void> save(std::string checkpoint) { return wait(async_save(std::move(checkpoint))); }
    Task<Result<void>> async_save(std::string checkpoint);

    // The effect happened and this is its answer; kept as succeeded. lease_lost: another owner has the key
    // and our answer was not stored. store_unknown: retry, a completion is recognised by its digest.
    Result<void> finish(Response response) { return wait(async_finish(std::move(response))); }
    Task<Result<void>> async_finish(Response response);

    // The other side refused definitively; kept as failed and replayed.
    Result<void> fail(Response response) { return wait(async_fail(std::move(response))); }
    Task<Result<void>> async_fail(Response response);

    // Nobody knows whether the effect happened.
    Result<void> doubt(std::string reason) { return wait(async_doubt(std::move(reason))); }
    Task<Result<void>> async_doubt(std::string reason);

    // No effect happened: nothing left this process, or the other side definitively refused. Frees the key.
    Result<void> untouched(std::optional<Response> response = std::nullopt)
    {
        return wait(async_untouched(std::move(response)));
    }
    Task<Result<void>> async_untouched(std::optional<Response> response = std::nullopt);

    // Writes the completion inside a transaction of the same database, which fences the rows written there:
    // any error of it (lease_lost above all) spoils the transaction, even from inside nested(), and all of it
    // rolls back. Call it in every run of the closure; the lease is consumed when the handler returns.
    Result<void> finish(Transaction& transaction, Response response);

private:
    friend class EngineImpl;  // which makes them

    explicit Lease(std::shared_ptr<LeaseState> state) noexcept;

    std::shared_ptr<LeaseState> state_;
};

}  // namespace umavez
