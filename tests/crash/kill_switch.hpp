#pragma once

// KillSwitch: counts every arrival at a fault point and kills the process at the one it was told.
//
// The counts are in a file mapped into memory, which outlives a process that dies by SIGKILL: so
// the parent knows which points were reached, and that the death was the one it asked for.
// Thread-safe.

#include "base/fault_point.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::crash {

struct KillAt {
    FaultPoint point;
    std::uint64_t arrival = 1;  // the first is 1
};

// `<point>:<n>`; nullopt: no such point.
std::optional<KillAt> parse_kill_at(std::string_view text);
std::string to_text(const KillAt& kill);

struct Arrivals {
    std::array<std::atomic<std::uint64_t>, fault_points_count> counts;
    std::atomic<std::uint64_t> killed_at;  // 1 + the point; 0: nowhere
};

// Maps the file at `path`, made with zeroes where it is missing. Never unmapped: it lives as long
// as we do.
Arrivals& map_arrivals(const std::string& path);

class KillSwitch final : public FaultHook {
public:
    KillSwitch(Arrivals& arrivals, std::optional<KillAt> kill) : arrivals_(arrivals), kill_(kill) {}

    void strike(FaultPoint point) override;
    bool ends(FaultPoint point, Scheduler& scheduler) override;

    std::uint64_t arrivals(FaultPoint point) const
    {
        return own_[static_cast<std::size_t>(point)].load();
    }

private:
    Arrivals& arrivals_;  // of every process that used the file
    const std::optional<KillAt> kill_;
    std::array<std::atomic<std::uint64_t>, fault_points_count> own_{};
};

}  // namespace umavez::crash
