#pragma once

// Declared: an operation as the engine knows it, and the record id of a request under it.
// Immutable after start, except for its tally, which is thread-safe.

#include "engine/tally.hpp"

#include <umavez/operation.hpp>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace umavez {

struct Declared {
    Operation name;
    OperationSpec spec;
    Policy policy;
    Tally tally;
};

class Operations {
public:
    Result<void> add(OperationSpec spec);

    // Never null; the error lists the operations there are.
    Result<Declared*> find(const Operation& name) const;

    // Ordered by name.
    const std::vector<Declared*>& all() const noexcept { return ordered_; }

private:
    std::unordered_map<std::string, std::unique_ptr<Declared>> by_name_;
    std::vector<Declared*> ordered_;
};

// The record id of a request by the operation's key rule: nullopt where it may and does run without one.
Result<std::optional<RecordId>> record_id_of(const Request& request, const Policy& policy);

// The same, moved out of the request where it has a key: its names are not to be read afterwards.
Result<std::optional<RecordId>> take_record_id(Request& request, const Policy& policy);

}  // namespace umavez
