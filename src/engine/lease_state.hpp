#pragma once

// LeaseState: what a Lease points to, shared with the keeper that sends its heartbeats.
//
// The owner's task uses everything but the last group; the keeper reads the const members, and the last
// group is the keeper's, under its locks.

#include "engine/declared.hpp"

#include <umavez/lease.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace umavez {

class EngineImpl;

enum class Settled : std::uint8_t {
    open,
    in_transaction,  // finish(Transaction&, …) was called; whether it committed shows in the record
    finished,
    failed,
    doubted,
    released,
    lost,       // fenced
    unsettled,  // the completion could not be written or its fate is unknown
};

class LeaseState : public std::enable_shared_from_this<LeaseState> {
public:
    LeaseState(EngineImpl& owner, Declared& declared, RecordId&& key, Record&& claimed, Duration sent_at)
        : engine(owner),
          operation(declared),
          id(std::move(key)),
          record(std::move(claimed)),
          token(record.token),
          may_vanish(record.expires_at.has_value()),
          claimed_at(sent_at),
          acknowledged_at(sent_at)
    {
    }

    EngineImpl& engine;
    Declared& operation;
    const RecordId id;
    Record record;  // as last written by us
    const FencingToken token;
    const bool may_vanish;  // a cached record that expires one retention after its lease
    mutable std::string effect_key;  // made when first asked for

    Settled settled = Settled::open;
    std::optional<Response> response;  // the one it was settled with
    std::optional<Outcome> instead;    // what a fenced or unsettled owner may answer
    bool unprotected = false;          // no record: no key, or the store was down under `open`
    bool is_unkeyed = false;

    const Duration claimed_at;  // since boot, of this process

    // The keeper's.
    Duration acknowledged_at;  // when the last acknowledged claim or heartbeat was sent
    bool is_kept = false;      // the keeper knows it
    bool is_lost = false;
    std::stop_source lost{std::nostopstate};  // made when somebody first asks for its token
    LeaseState* next = nullptr;
    LeaseState* previous = nullptr;
};

}  // namespace umavez
