#pragma once

// What stores without a query language share: the order of pages, their cursors, and who is due.
// Pure, thread-safe.

#include "store/store.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace umavez {

// A place in the order of scan(): the newest first; the identity makes it total.
struct Place {
    Instant created_at;
    RecordId id;
    friend bool operator<(const Place& a, const Place& b)
    {
        return a.created_at != b.created_at ? a.created_at > b.created_at : a.id < b.id;
    }
};

// "1700000000000000/acme/pedidos.criar/key": only a key may hold a slash.
std::string to_cursor(const Place& place);
// Nullopt: the first page. invalid_argument: the cursor is none of ours.
Result<std::optional<Place>> parse_cursor(std::string_view cursor);

bool is_wanted(const RecordsQuery& query, const RecordId& id, const Record& record);

// Since when the record waits for a worker that asks for `query`; nullopt: it does not.
std::optional<Instant> due_since(
    const DueQuery& query, const RecordId& id, const Record& record, Instant now
);

// When the record will be spent if nobody writes it again; is_spent() has the last word.
std::optional<Instant> spent_at(const Record& record) noexcept;

// Order of due(): the longest overdue first; the identity makes it total.
struct Overdue {
    Instant since;
    NamedRecord named;
    friend bool operator<(const Overdue& a, const Overdue& b)
    {
        return a.since != b.since ? a.since < b.since : a.named.id < b.named.id;
    }
};

}  // namespace umavez
