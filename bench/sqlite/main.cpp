// bench_sqlite: durable operations on SQLite against the same rows written by hand, and against the disk.
//
// Every side has a file of its own on the same disk; all of them stay open and grow.

#include "support/engine_side.hpp"
#include "support/flush_log.hpp"
#include "sqlite/raw_writer.hpp"
#include "support/comparison.hpp"
#include "support/scratch_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace umavez::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto window = 1000ms;
constexpr auto long_window = 4000ms;  // a checkpoint of a large file falls into each
constexpr int batch_by_hand = 32;
constexpr std::uint64_t records_stored = 1'000'000;

// A file with the engine's tables and nothing in them.
std::string make_tables(const ScratchFolder& folder, const std::string& name)
{
    const std::string path = folder.file(name);
    const EngineSide engine{"sqlite:" + path};
    return path;
}

void compare_leased(Table& table, const ScratchFolder& folder)
{
    EngineSide engine{"sqlite:" + folder.file("leased.db")};
    RawWriter single{make_tables(folder, "single.db")};
    RawWriter batches{make_tables(folder, "batches.db")};
    table.compare({
        .what = "claim+finish/s, 64 callers; by hand, one per transaction",
        .ours = [&] { return engine.leased_by_tasks(window); },
        .limit = [&] { return single.pairs(window, 1); },
        .goal = 8.0,
    });
    table.compare({
        .what = fmt::format("claim+finish/s, 64 callers; by hand, batches of {}", batch_by_hand),
        .ours = [&] { return engine.leased_by_tasks(window); },
        .limit = [&] { return batches.pairs(window, batch_by_hand); },
        .goal = 0.8,
    });
    fmt::print("  callers per commit: {:.1f}\n", engine.mean_batch());
    table.show("claim+finish/s, 64 blocking threads", [&] {
        return engine.leased_by_threads(window);
    });
    table.compare({
        .what = "atomic/s with one insert, 64 callers; leased claim+finish",
        .ours = [&] { return engine.atomic_by_tasks(window); },
        .limit = [&] { return engine.leased_by_tasks(window); },
        .goal = 1.0,
    });
}

void compare_lone(Table& table, const ScratchFolder& folder)
{
    EngineSide engine{"sqlite:" + folder.file("lone.db")};
    FlushLog log{folder.file("flush.log")};
    table.compare({
        .what = "claim p50, µs, a lone caller; append + fdatasync p50",
        .ours = [&] { return engine.claim_p50(window); },
        .limit = [&] { return log.p50(window); },
        .goal = 1.5,
        .kind = Goal::at_most,
    });
}

void compare_full(Table& table, const ScratchFolder& folder)
{
    const std::string path = make_tables(folder, "full.db");
    RawWriter{path}.fill(records_stored);
    EngineSide full{"sqlite:" + path};
    EngineSide empty{"sqlite:" + folder.file("empty.db")};
    // As on any day but the first: a log that still grows is written twice.
    full.leased_by_tasks(long_window);
    empty.leased_by_tasks(2 * window);
    table.compare({
        .what = "claim+finish/s, 64 callers, 1 million records; a new file",
        .ours = [&] { return full.leased_by_tasks(long_window); },
        .limit = [&] { return empty.leased_by_tasks(window); },  // short: it should stay new
        .goal = 0.9,
    });
}

}  // namespace
}  // namespace umavez::bench

// With arguments: only the parts named, of `leased`, `lone`, `full`.
int main(int count, char** arguments)
{
    using namespace umavez::bench;
    const auto is_wanted = [&](std::string_view part) {
        for (int i = 1; i < count; ++i) {
            if (part == arguments[i]) return true;
        }
        return count == 1;
    };
    const ScratchFolder folder;
    Table table{7};
    if (is_wanted("leased")) compare_leased(table, folder);
    if (is_wanted("lone")) compare_lone(table, folder);
    if (is_wanted("full")) compare_full(table, folder);
    return table.all_met() ? EXIT_SUCCESS : EXIT_FAILURE;
}
