#include "base/fault_point.hpp"

namespace umavez {

std::string_view to_text(FaultPoint point) noexcept
{
    static constexpr std::array<std::string_view, fault_points_count> names = {
        "lane_before_commit",    "lane_after_commit",    "claim_before_write",
        "claim_after_write",     "handler_before_effect", "handler_after_effect",
        "complete_before_write", "complete_after_write", "doubt_before_write",
        "hold_before_write",     "reconcile_before_ask", "reconcile_after_answer",
        "run_after_reconcile",   "save_before_write",    "save_after_write",
        "heartbeat_before_write", "heartbeat_after_write", "sweep_before_write",
        "atomic_after_claim",    "atomic_after_handler",
    };
    return names[static_cast<std::size_t>(point)];
}

}  // namespace umavez
