#pragma once

// Records, stories and tokens as JSON: what /ops answers, and what the commands read. Pure,
// thread-safe.

#include "access/token_table.hpp"

#include <umavez/engine.hpp>

#include <string>

namespace umavez::operators {

// {"records": […], "next": "…" | null, "now": …}
std::string to_json(const RecordsPage& page);

// {"stories": [{"tenant", "operation", "key"}], "next": "…" | null}
std::string to_json(const StoriesPage& page);

// {"record": {…} | null, "state", "meaning", "next", "effect_key", "now", "timeline": […]}
std::string to_json(const RecordId& id, const Story& story);

// The record alone, with its state.
std::string to_json(const RecordId& id, const Record& record, Instant now);

std::string to_json(const access::TokenRow& token);

// {"records":3,"audit_entries":0}
std::string to_json(const SweepReport& report);

}  // namespace umavez::operators
