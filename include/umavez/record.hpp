#pragma once

// Record: what a store holds under a key. Instants are the store's.
//
// `processing_expires_at` (the lease, seconds) and `expires_at` (the retention, hours to forever) are two
// different things. An absent instant means "no deadline", never "already over". A plain value.

#include <umavez/fingerprint.hpp>
#include <umavez/names.hpp>
#include <umavez/response.hpp>
#include <umavez/time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

enum class Status : std::uint8_t { processing, succeeded, failed, in_doubt };

enum class Mode : std::uint8_t {
    run,        // the owner may perform the effect
    reconcile,  // the owner must first ask the outside world
};

// 128 random bits, fresh for every claim: by it a caller recognises its own writes.
using Execution = std::array<std::uint8_t, 16>;

// What an owner writes under. `epoch` grows with every claim of a key and never repeats.
struct FencingToken {
    std::int64_t epoch = 0;
    Execution execution{};
    friend bool operator==(const FencingToken&, const FencingToken&) = default;
};

// A response as kept: whole, or (too large to keep) its status and digest alone.
// The digest recognises a repeated completion and a corrupt row; it is XXH3-128, not a signature.
struct StoredResponse {
    Response response;
    std::array<std::uint8_t, 16> digest{};
    bool omitted = false;
    friend bool operator==(const StoredResponse&, const StoredResponse&) = default;
};

struct Record {
    Target target;
    Fingerprint fingerprint;
    Status status = Status::processing;
    bool final = false;  // for failed: kept and replayed; not final: released for a new claim
    Mode mode = Mode::run;
    FencingToken token;
    std::uint32_t attempts = 0;   // claims in this lifetime
    std::uint32_t takeovers = 0;  // of those, claims of abandoned work
    std::optional<Instant> retry_at;
    std::optional<StoredResponse> response;
    std::string checkpoint;
    Instant created_at{};
    Instant updated_at{};
    std::optional<Instant> completed_at;
    std::optional<Instant> processing_expires_at;
    std::optional<Instant> expires_at;
    friend bool operator==(const Record&, const Record&) = default;
};

struct NamedRecord {
    RecordId id;
    Record record;
};

// Which records to show, page by page.
struct RecordsQuery {
    std::optional<TenantId> tenant_id;
    std::optional<Operation> operation;
    std::optional<Status> status;
    std::string key_prefix;
    std::string cursor;  // RecordsPage::next of the page before; empty: the first
    std::size_t count_max = 100;
};

// The newest first, in an order that does not change while records do: a record that stays is on exactly one
// page. A page may be short, even empty, although more follow: a store looks at a bounded number of records
// for each.
struct RecordsPage {
    std::vector<NamedRecord> records;
    std::string next;  // opaque; empty: this was the last page
    Instant now{};
    std::optional<std::string> unreadable;  // which record is corrupt, if one was met: it is left out
};

// Which keys have a story but perhaps no record: the last attempt left nothing, or the record was swept.
struct StoriesQuery {
    std::string key;  // the whole of it
    std::optional<TenantId> tenant_id;
    std::optional<Operation> operation;
    std::string cursor;  // StoriesPage::next of the page before; empty: the first
};

// Each is on a page once, but may be on several; pages are short, even empty, as those of records are.
struct StoriesPage {
    std::vector<RecordId> ids;
    std::string next;  // opaque; empty: this was the last page
};

std::string_view to_text(Status status) noexcept;
std::string_view to_text(Mode mode) noexcept;

// Stable text derived from the identity alone: the same in every attempt and lifetime, on purpose.
std::string effect_key_of(const RecordId& id);

}  // namespace umavez
