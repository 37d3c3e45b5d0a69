#pragma once

// Every bound of umavez, in one place. Crossing one is Errc::limit_exceeded (or invalid_argument where a
// text is parsed) and never a truncation, but for audit details. Immutable.

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace umavez::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t tenant_chars_max = 64;
inline constexpr std::size_t operation_chars_max = 100;
inline constexpr std::size_t key_bytes_max = 255;

inline constexpr std::size_t checkpoint_bytes_max = 64 * 1024;
inline constexpr std::size_t response_bytes_max = 1024 * 1024;  // kept; a policy may set less or more
inline constexpr std::size_t response_headers_max = 64;
inline constexpr std::size_t entity_chars_max = 255;
inline constexpr std::size_t audit_detail_bytes_max = 1024;

inline constexpr std::size_t batch_members_max = 512;
inline constexpr auto batch_closure_time_max = 20ms;
inline constexpr std::size_t batch_retries_max = 3;

inline constexpr std::size_t sweep_batch_max = 10'000;
// A step of so many records keeps up, and may end after any of them for others who wait. A larger one is
// behind.
inline constexpr std::size_t sweep_polite_max = 5;
inline constexpr auto lease_min = 10ms;  // a tenth of it is the shortest period of the keeper

inline constexpr std::size_t waiters_per_key_max = 1'000;
inline constexpr std::size_t waiters_max = 10'000;

inline constexpr std::size_t audit_notes_max = 10'000;  // decisions that ride the next batch
inline constexpr std::size_t lane_queue_max = 100'000;

inline constexpr std::size_t json_depth_max = 512;
inline constexpr std::size_t json_depth_http_max = 64;

// Of the program's own input. A tree takes up to six times its text.
inline constexpr std::size_t document_bytes_max = 64 * 1024 * 1024;
inline constexpr std::size_t config_bytes_max = 1024 * 1024;

inline constexpr std::size_t scan_page_max = 1'000;
inline constexpr std::size_t scan_visited_max = 10'000;              // records looked at for one page
inline constexpr std::size_t scan_bytes_max = 16 * 1024 * 1024;      // of their answers, in one page

// A deadline further away than this is a mistake in a unit, not a plan.
inline constexpr auto duration_max = std::chrono::hours{24 * 366 * 100};

// An instant after this, in the year 2400, is damage: no clock shows it, and sums with it must not overflow.
inline constexpr std::int64_t clock_micros_max = 13'569'465'600'000'000;

static_assert(checkpoint_bytes_max <= response_bytes_max);
static_assert(waiters_per_key_max <= waiters_max);

// Of a swept key's story, and of all stories that one sweep moves.
inline constexpr std::size_t timeline_kept_max = 1000;
inline constexpr std::size_t sweep_entries_max = 5000;

}  // namespace umavez::limits
