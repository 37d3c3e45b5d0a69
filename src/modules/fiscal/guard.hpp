#pragma once

// Guard: the rate guard of authorities, shared by all processes through its table.
//
// It is asked in one short transaction before every call. Thread-safe; the calls block.

#include "modules/fiscal/authority/authority.hpp"
#include "modules/fiscal/guard_rule.hpp"

#include <umavez/transaction.hpp>

#include <optional>
#include <string>

namespace umavez::fiscal {

struct GuardSettings {
    GuardRule rule = {};
    Duration block = std::chrono::hours{1};  // where the authority does not say how long
};

class Guard {
public:
    // The database outlives it.
    Guard(Database& database, GuardSettings settings) : database_(database), settings_(settings) {}

    // An error means that no call may be made: nobody knows whether it is permitted.
    Result<Permission> ask(const Authority& authority, const Subject& subject, GuardedCall call);

    // Whether the authority is blocked, without counting anything. Nullopt: it is not.
    Result<std::optional<Duration>> find_block(const Authority& authority, const Subject& subject);

    // What a permitted enquiry exchanged beyond its first. Where that cannot be written down the rate is a
    // little higher than it should be: nothing depends on it.
    void charge(const Authority& authority, const Subject& subject, std::int64_t exchanges);

    // After the word `throttled`: for how long the authority is blocked from now on.
    Result<Duration> block(
        const Authority& authority, const Subject& subject, std::optional<Duration> wish
    );

private:
    Database& database_;
    const GuardSettings settings_;
};

}  // namespace umavez::fiscal
