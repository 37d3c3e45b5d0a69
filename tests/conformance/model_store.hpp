#pragma once

// ModelStore: what a store must answer, in as few lines as possible: a map, to_record(), matches() and
// is_spent(). The differential test holds every real store against it. Confined to its test.

#include "core/decide.hpp"
#include "store/store.hpp"

#include <map>
#include <optional>
#include <vector>

namespace umavez::test {

class ModelStore {
public:
    Found insert_or_get(const RecordId& id, const Draft& draft, Instant now);
    Replaced replace(const RecordId& id, const Expected& expected, const Draft& next, Instant now);
    Replaced heartbeat(const Heartbeat& heartbeat, Instant now);
    std::optional<Record> find(const RecordId& id) const;
    std::vector<RecordId> sweep(Instant now);
    std::vector<RecordId> due(const DueQuery& query, Instant now) const;  // in order of identity
    const std::map<RecordId, Record>& records() const noexcept { return records_; }

private:
    std::map<RecordId, Record> records_;
};

}  // namespace umavez::test
