#pragma once

// The sizes and times SQLite runs with, and the measurements behind them where there are any. Immutable.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace umavez::tuning {

using namespace std::chrono_literals;

// Claim + completion with their audit rows, batches of 32, random keys, 60,000 pairs on a busy
// machine (so CPU and bytes, which do not depend on neighbours as much as time does), CPU µs /
// bytes written per pair:
//
//     log before a checkpoint   4 MB             16 MB            80 MB
//     1 KiB pages               144–172 / 16,200  152 / 11,500     145 / 8,200
//     2 KiB pages               109–114 / 18,500  121 / 14,500     104 / 11,900
//     4 KiB pages                94–98  / 24,200  111 / 20,700      99 / 18,400
//
// Small pages write less but cost half as much CPU again, and CPU is what binds a batch; rare
// checkpoints save a quarter of the writing and cost 80 MB of log.
inline constexpr int page_bytes = 4096;

// How long the log gets before a checkpoint: half the database, in bounds. Keys are random, so in a large
// file nearly every claim of a short log changed a leaf of its own, and those have to be flushed. On a file
// of a million records that flush took 120 ms after 20,000 pages of log and 105 ms after 92,000, because the
// claims of a long log meet in the same leaves; copying the long one took 100 ms more. Pairs/s with a million
// records while the lane still stood still for all of that, runs of 17 s on a restless machine (16,300 and
// 16,200 with none):
//
//     20,000 pages   11,000 and 12,700
//     60,000         15,000 and 12,300
//    100,000         16,400 and 14,100
//    160,000         16,600 and 13,300
inline constexpr int checkpoint_pages_least = 20'000;
inline constexpr int checkpoint_pages_most = 100'000;

constexpr int checkpoint_pages(std::int64_t database_bytes)
{
    const std::int64_t half = database_bytes / page_bytes / 2;
    return static_cast<int>(
        std::clamp<std::int64_t>(half, checkpoint_pages_least, checkpoint_pages_most)
    );
}

// That is for a lane that is busy. Beside one with time to spare the log is copied in small steps
// (log_plan.hpp): they are short, also where the lane has to do it itself. With a sweep of 2,000 records a
// second and 300 claims, a file of two million records; what a checkpoint took, and the flush in it:
//
//        100 pages    1.5 ms    1.2 ms
//        300          4.2       3.3
//      2,000         17        13
inline constexpr int checkpoint_pages_idle = 100;

// How many pages more the lane leaves uncopied while somebody waits: those go first.
inline constexpr int checkpoint_pages_put_off = 100;

// How long the log of a lane with time to spare becomes, in such steps, before it is made to start over.
// Shorter ones were not tried.
inline constexpr int log_pages_before_restart = 4'000;

// How much the lane copies itself at the end of such a log. Other sizes were not tried.
inline constexpr int rest_pages_for_lane = 500;

// How many pages of the database are written before they are flushed, by a copy of `pages` beside the lane.
// Other sizes were not tried.
constexpr int portion_pages(int pages)
{
    return std::clamp(pages / 6, 100, 1000);
}

// Which share of its time a lane spends on batches to be called busy; every so much less halves the log.
// Callers that keep it going leave hardly any time between batches; 300 claims a second and that sweep take
// about 0.4, by reckoning: 600 commits of 0.4 ms and 200 steps of 0.7 ms.
// With 25 pages, 0.85 and 0.015 the p99 beside that sweep was 1.9 instead of 2.4 ms, but 64 connections of
// `POST /charges` on a file of a million keys could stay with logs of 25 pages, at 10,600 instead of 16,000
// requests a second: the share alone does not tell the two apart.
inline constexpr double lane_busy = 0.9;
inline constexpr double lane_busy_halving = 0.03;

// How many pages beyond the length of a busy lane's log readers may hold it open; then the lane insists, and
// waits a moment for them.
inline constexpr int checkpoint_pages_late = 3 * checkpoint_pages_least;
inline constexpr int checkpoint_pages_again = 250;  // after one for which there was no room

// After a copy that readers kept from an end. Between reads that follow each other closely there are gaps,
// but whoever tries seldom meets none: with reads of half a second and 50 ms between them a log that was
// tried every 20,000 pages grew to 490 MB in half a minute.
inline constexpr int checkpoint_pages_held = 1'000;

// What so many pages of log take on disk.
constexpr std::int64_t wal_bytes(int pages)
{
    return std::int64_t{pages} * (page_bytes + 24) + 32;
}

// A commit that makes the log grow flushes metadata too: fdatasync of 20 KB took 458 µs on a
// growing file and 265 µs in place. So the lane writes the log ahead, between batches.
inline constexpr std::int64_t wal_room_least = 128 * 1024;  // less is short
inline constexpr std::int64_t wal_room_made_least = 512 * 1024;
inline constexpr std::int64_t wal_room_made_most = 2 * 1024 * 1024;

// After a batch that needed its savepoints, so many have them from the start: it would be run twice.
inline constexpr int careful_batches = 64;

// An eighth of the database, in bounds. Keys are random, so a claim in a large file looks at a leaf of the
// identity index that none of its neighbours needed; with 4 MiB it was read from the file or from the log,
// one read and 7 µs per request. `POST /charges` with a million keys against none, pairs of windows of 3 s,
// all of them, on a restless machine (the first two rows with up to 1.8 million keys):
//
//      4 MiB    0.80  0.83  0.80  0.44  0.88  0.79  0.68  0.80  0.66  0.78
//     32 MiB    0.84  0.87
//     64 MiB    0.95  0.80
//    128 MiB    0.66  0.82  (1.7 million keys)
//
// No larger than an eighth, because in a file of less than 1 GiB COMMIT walks the whole cache whenever leaves
// that were split changed places (they do by way of a page number at 1 GiB, and the cache is then cut to the
// file's length): with 128 MiB a new file lost a fifth of its requests. Earlier, pairs/s without records and
// with a million, medians of 12 windows in turns, the cache whatever the size of the file:
//
//      1 MiB   18,600   14,100
//      4 MiB   20,400   14,100
//     16 MiB   15,500   13,700
inline constexpr int lane_cache_kib_least = 4 * 1024;
inline constexpr int lane_cache_kib_most = 64 * 1024;

// In steps, so that it seldom changes.
constexpr int lane_cache_kib(std::int64_t database_bytes)
{
    const std::int64_t kib = std::clamp<std::int64_t>(
        database_bytes / 8 / 1024, lane_cache_kib_least, lane_cache_kib_most
    );
    return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(kib)));
}

inline constexpr int reader_cache_kib = 8 * 1024;

inline constexpr std::size_t statements_cached_max = 256;

// How often a running statement looks at its deadline, in virtual machine instructions: about 50
// µs.
inline constexpr int progress_instructions = 2000;

// A closure of Database::transact; the atomic mode brings its own limit.
inline constexpr auto run_limit = 2s;

// A reader holds back the log for as long as it runs.
inline constexpr auto read_limit = 30s;

// Another program that holds the write lock: three tries of this each, with jitter between.
inline constexpr auto busy_timeout = 250ms;
inline constexpr auto retry_pause_most = 20ms;

// How long a note may wait for a batch to ride on.
inline constexpr auto notes_flush = 200ms;

}  // namespace umavez::tuning
