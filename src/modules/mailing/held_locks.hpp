#pragma once

// HeldLocks: the mailings that this process holds, and when the store last confirmed each of them. One beat
// renews them all.
//
// The instant that counts is the one before the transaction began: the store's own is never earlier, so
// whoever trusts this one stops before its lock is stale there.
//
// Thread-safe.

#include "modules/mailing/lock.hpp"

#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace umavez::mailing {

class HeldLocks {
public:
    HeldLocks(Database& database, const Clock& clock) : database_(database), clock_(clock) {}

    // `at`: boottime before the transaction that locked it.
    void add(const Owner& owner, Duration at);
    void remove(const Owner& owner);

    // A transaction of its owner, begun at `at`, was a sign of life.
    void confirm(const Owner& owner, Duration at);

    // Nullopt: it was found to be somebody else's.
    std::optional<Duration> alive_at(const Owner& owner) const;

    // Those that were not found to be somebody else's.
    std::vector<Owner> owners() const;

    // Signs of life for all. An error: none of them counts.
    Result<void> beat_all();

    // The same where one of them had none for longer than `period`: before a lock is asked for, so that a
    // process that stood still for a while does not take it from itself.
    Result<void> beat_late(Duration period);

private:
    struct Held {
        Owner owner;
        std::optional<Duration> alive_at;
    };

    Database& database_;
    const Clock& clock_;
    mutable std::mutex mutex_;
    std::map<std::string, Held, std::less<>> held_;  // by token; guarded by mutex_
};

// In HeldLocks while it lives.
class HeldLock {
public:
    HeldLock(HeldLocks& locks, Owner owner, Duration at) : locks_(locks), owner_(std::move(owner))
    {
        locks_.add(owner_, at);
    }
    ~HeldLock() { locks_.remove(owner_); }
    HeldLock(const HeldLock&) = delete;
    HeldLock& operator=(const HeldLock&) = delete;

    const Owner& owner() const noexcept { return owner_; }
    void confirm(Duration at) { locks_.confirm(owner_, at); }
    std::optional<Duration> alive_at() const { return locks_.alive_at(owner_); }

private:
    HeldLocks& locks_;
    const Owner owner_;
};

}  // namespace umavez::mailing
