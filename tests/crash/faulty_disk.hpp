#pragma once

// FaultyDisk: a layer under SQLite that fails a chosen write or flush, and knows what a power cut
// would leave.
//
// install() makes it the default of this process. Bytes written since a file's last flush are
// remembered with what was there before: a failed flush may lose them (as a kernel does that
// reports the error once and drops the pages), and cut_power() copies the files as a machine that
// lost its memory would find them. Flushes are not handed on, so that tests are fast. Thread-safe.

#include <cstdint>
#include <string>

namespace umavez::crash {

enum class Call : std::uint8_t { write, flush };

struct FaultPlan {
    Call call = Call::write;
    std::uint64_t nth = 1;    // counted from arm()
    int code = 0;             // SQLITE_FULL, SQLITE_IOERR_WRITE …
    bool is_lasting = false;  // every later call fails too, until heal()
    // A failed flush loses what it should have kept; a failed write is half done.
    bool is_losing = false;
    bool is_of_database = false;  // calls of the log are not counted, and do not fail
};

class FaultyDisk {
public:
    static void install();

    static void arm(const FaultPlan& plan);
    static void heal();

    // Whether a call failed since arm().
    static bool has_struck();

    // What would be left of the database at `path` now, copied to `copy_path`.
    static void cut_power(const std::string& path, const std::string& copy_path);
};

}  // namespace umavez::crash
