#pragma once

// CommandStats: how the sends of one command ended, since the mediator was opened. A plain value.

#include <umavez/mediator/send.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace umavez {

struct CommandStats {
    std::string command;
    std::array<std::uint64_t, static_cast<std::size_t>(SendOutcome::count_)> ended{};
    std::uint64_t takeovers = 0;  // of runs whose process died
    std::uint64_t mismatches_ignored =
        0;                          // another content under a known key: the first result was given
    std::uint64_t unprotected = 0;  // runs without a record, because the store was down

    std::uint64_t count(SendOutcome outcome) const noexcept
    {
        return ended[static_cast<std::size_t>(outcome)];
    }

    // Of the sends that reached a key, the share that was sent before: 0 to 1.
    double duplication_rate() const noexcept;
};

}  // namespace umavez
