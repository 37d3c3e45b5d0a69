#pragma once

// Ledger: what the simulator really did, in a file that only grows. What is appended is durable when
// append() returns, and nothing is answered before: what a client was told is in there, after kill -9 and
// after a power cut.
//
// A process that died while it wrote leaves a line without an end. It was never answered, so it is taken away
// at the next start. The file is locked: two simulators with one ledger would both authorise. Confined to
// whoever holds it.

#include "modules/fiscal/simulator/ledger_event.hpp"

#include <umavez/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace umavez::fiscal::simulator {

class Ledger {
public:
    // Opens or makes it, and appends to `events` what is in it.
    static Result<Ledger> open(const std::string& path, std::vector<LedgerEvent>& events);

    ~Ledger();
    Ledger(Ledger&& other) noexcept
        : path_(std::move(other.path_)),
          descriptor_(std::exchange(other.descriptor_, -1)),
          bytes_(other.bytes_)
    {
    }
    Ledger& operator=(Ledger&&) = delete;

    // In one write. On an error no line of it is there, now or after a restart.
    Result<void> append(std::span<const LedgerEvent> events);

    const std::string& path() const noexcept { return path_; }

private:
    Ledger(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

    std::string path_;
    int descriptor_ = -1;
    std::uint64_t bytes_ = 0;  // of whole lines
};

}  // namespace umavez::fiscal::simulator
