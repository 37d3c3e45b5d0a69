#pragma once

// Evidence: what a simulated world left behind, for the auditor to judge when the seed is over.
//
// Effects are counted where they happen, changes where they are written, answers where they are given;
// none of it is read from the records that the engine keeps. Confined to the simulation's thread.

#include "simulation/scheduling.hpp"

#include <umavez/record.hpp>
#include <umavez/response.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace umavez::simulation {

// One write that reached the store.
struct RecordChange {
    std::optional<Record> before;
    std::optional<Record> after;    // nullopt: swept
    Instant store_now;
    std::optional<Duration> at;     // in world time, where it is known
    CallId call = 0;
};

struct EffectDone {
    std::uint64_t number = 0;
    FencingToken token;  // that the request carried
    std::string payload;
    Duration at{0};
};

// An owner began to run.
struct HandlerRun {
    FencingToken token;
    Duration at{0};
    CallId call = 0;
};

// The authority told a reconciler that nothing happened.
struct Absence {
    FencingToken token;
    Duration at{0};
};

enum class Ending : std::uint8_t {
    running,  // or its process died
    executed,
    not_kept,
    replayed,
    in_progress,
    mismatch,
    in_doubt,
    unavailable,
    unknown,
    failed,  // an error or an exception of the handler
    dropped, // the lease was forgotten on purpose
};

std::string_view to_text(Ending ending) noexcept;

struct Call {
    NodeId node = outside;
    bool is_worker = false;
    std::string payload;
    Duration began{0};
    std::optional<Duration> ended;
    Ending ending = Ending::running;
    Response response;
    bool omitted = false;
};

// "tenant/operation/key", as the trace names a record.
std::string name_of(const RecordId& id);

struct KeyEvidence {
    std::deque<RecordChange> changes;
    std::vector<EffectDone> effects;
    std::vector<HandlerRun> runs;
    std::vector<Absence> absences;
    std::vector<CallId> calls;
};

struct Evidence {
    std::map<RecordId, KeyEvidence> keys;
    std::vector<Call> calls{1};  // by CallId; 0 is nobody's
    std::vector<std::string> faults;  // found on the way, not by the auditor
};

}  // namespace umavez::simulation
