#pragma once

// Result and Error: how umavez tells that the world misbehaved.
//
// Ordinary answers of the product (replayed, in progress, mismatch …) are values, see outcome.hpp.
// An Error is sorted by what the caller must do next, and always says what happened to the effect.
// Immutable after construction.

#include <cstdint>
#include <expected>
#include <source_location>
#include <string>
#include <string_view>

namespace umavez {

enum class Errc : std::uint8_t {
    invalid_argument = 1,  // The caller broke the contract; retrying cannot help.
    not_found,             // There is no such record or row. Nothing was done.
    misconfigured,         // A setting is wrong; the detail names it and the cure.
    store_unavailable,     // The store did not take the command. Nothing was written.
    store_unknown,         // No answer from the store. The write may or may not have happened.
    lease_lost,            // Another owner holds the key now; our result was not stored.
    corrupt_record,        // A stored record failed its own checks on the way out.
    limit_exceeded,        // A bound of limits.hpp or of a policy was reached. Nothing was written.
    wrong_thread,          // An engine call inside an atomic handler; it would wait for itself.
    unique_violation,      // The statement met a row with the same unique key.
    busy,                  // Another transaction holds the key and did not end in time. Nothing was written.
    cancelled,             // The caller's stop came before anything ran. Nothing was written.
    sql,                   // The database refused a statement (another constraint, syntax, type).
};

// What happened to the effect of the call that failed. Unknown is never treated as failed.
enum class Effect : std::uint8_t { none, applied, unknown };

struct Error {
    Errc code;
    std::string detail;  // For operators. Never shown to API clients, never parsed.
    std::source_location where;
};

constexpr Effect effect_of(Errc code) noexcept
{
    return code == Errc::store_unknown ? Effect::unknown : Effect::none;
}

constexpr bool is_retryable(Errc code) noexcept
{
    return code == Errc::store_unavailable || code == Errc::store_unknown || code == Errc::busy;
}

std::string_view to_text(Errc code) noexcept;
std::string_view to_text(Effect effect) noexcept;

template <typename T>
using Result = std::expected<T, Error>;

// `return fail(Errc::limit_exceeded, "…");` fits every Result.
inline std::unexpected<Error> fail(
    Errc code, std::string detail, std::source_location where = std::source_location::current()
)
{
    return std::unexpected(Error{code, std::move(detail), where});
}

}  // namespace umavez
