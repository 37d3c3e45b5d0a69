#pragma once

// Ledger: what happened in the outside world, kept in a file of its own that no database touches.
//
// One line of fixed size per event, appended and flushed before append() returns. The size divides
// a page, so a process that dies while it writes leaves the whole line or nothing of it.
// Thread-safe; one process writes.

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::crash {

// `event` is "run" (a handler was entered), "effect" (it reached the other side), "saved" (a
// checkpoint was acknowledged) or, in the deduplicating authority's file, "accepted".
struct LedgerLine {
    std::string event;
    std::string key;
    std::string effect_key;
    std::string nonce;
};

inline constexpr std::size_t ledger_line_bytes = 128;

std::vector<LedgerLine> read_ledger(const std::string& path);

class Ledger {
public:
    explicit Ledger(std::string path);
    ~Ledger();
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;

    void append(const LedgerLine& line);

    // Appends unless an owner with a later epoch asked about this effect key before: such an
    // enquiry shuts out everybody who came earlier. (No file: whoever was shut out dies with this
    // process.)
    bool append_unless_fenced(const LedgerLine& line, std::int64_t epoch);

    // Appends unless the effect key is there already; gives the nonce that counts. The other side
    // that dedupes.
    std::string accept_once(const LedgerLine& line);

    // The nonce of the first such line.
    std::optional<std::string> find(std::string_view event, std::string_view effect_key) const;
    std::optional<std::string> find_and_fence(std::string_view effect_key, std::int64_t epoch);

private:
    void write_line(const LedgerLine& line);

    const int descriptor_;
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, std::string> nonces_;  // by event and effect key
    std::map<std::string, std::int64_t, std::less<>> fences_;
};

}  // namespace umavez::crash
