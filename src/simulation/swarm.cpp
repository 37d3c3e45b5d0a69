#include "simulation/swarm.hpp"

#include <fmt/format.h>

#include <iterator>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

// Rates are drawn up to these; counts are small numbers.
constexpr std::array<std::uint32_t, fault_kinds_count> highest = {
    80,   // store_refuses
    60,   // store_silent
    80,   // reply_lost
    60,   // late_write
    200,  // slow_store
    500,  // slow_heartbeat
    300,  // stale_read
    3,    // crash
    3,    // crash_point
    4,    // pause
    1000, // node_clock_wrong
    3,    // node_clock_step
    2,    // store_clock_step
    300,  // authority_slow
    200,  // authority_silent
    400,  // enquiry_unknown
    200,  // handler_throws
    200,  // handler_unclear
    200,  // handler_untouched
    200,  // handler_refused
    400,  // handler_saves
    250,  // handler_slow
    150,  // handler_drops
    250,  // other_payload
    300,  // client_impatient
};

constexpr std::array<std::string_view, fault_kinds_count> names = {
    "store_refuses",    "store_silent",     "reply_lost",       "late_write",
    "slow_store",       "slow_heartbeat",   "stale_read",       "crash",
    "crash_point",      "pause",            "node_clock_wrong", "node_clock_step",
    "store_clock_step", "authority_slow",   "authority_silent", "enquiry_unknown",
    "handler_throws",   "handler_unclear",  "handler_untouched", "handler_refused",
    "handler_saves",    "handler_slow",     "handler_drops",    "other_payload",
    "client_impatient",
};

FaultPoint draw_point(Dice& dice)
{
    return static_cast<FaultPoint>(dice.below(fault_points_count));
}

}  // namespace

std::string_view to_text(FaultKind kind) noexcept
{
    return names[static_cast<std::size_t>(kind)];
}

std::string_view to_text(StoreKind store) noexcept
{
    switch (store) {
        case StoreKind::memory: return "memory";
        case StoreKind::sqlite: return "sqlite";
        case StoreKind::postgres: break;
    }
    return "postgres";
}

bool Swarm::is_bounded(StoreKind store) const
{
    // A step of the clock that judges leases is a delay nobody can bound. SQLite's follows the wall clock
    // of whichever process opens the file.
    if (is_shared(store) && rate(FaultKind::store_clock_step) > 0) return false;
    if (store == StoreKind::sqlite && rate(FaultKind::node_clock_wrong) > 0) return false;
    if (store == StoreKind::sqlite && rate(FaultKind::node_clock_step) > 0) return false;
    const Duration pause = rate(FaultKind::pause) > 0 ? pause_max : Duration{0};
    const Duration travel = rate(FaultKind::authority_slow) > 0 ? travel_max : Duration{20ms};
    return pause + travel + lease / 5 < settle;
}

Swarm draw_swarm(Dice dice, StoreKind store)
{
    Swarm swarm;
    const std::uint64_t switched_on = 300 + dice.below(500);  // some seeds are calmer than others
    for (std::size_t kind = 0; kind < fault_kinds_count; ++kind) {
        const bool is_on = dice.below(1000) < switched_on;
        const std::uint64_t drawn = 1 + dice.below(highest[kind]);
        swarm.rates[kind] = is_on ? static_cast<std::uint32_t>(drawn) : 0;
    }
    const std::uint32_t planned = swarm.rate(FaultKind::crash_point);
    for (std::uint32_t i = 0; i < planned; ++i) {
        const FaultPoint point = draw_point(dice);
        swarm.crashes.push_back({point, static_cast<std::uint32_t>(1 + dice.below(12))});
    }
    swarm.nodes = is_shared(store) ? static_cast<std::uint32_t>(1 + dice.below(3)) : 1;
    swarm.clients = static_cast<std::uint32_t>(3 + dice.below(10));
    swarm.intents = static_cast<std::uint32_t>(2 + dice.below(5));
    swarm.keys = static_cast<std::uint32_t>(1 + dice.below(4));
    swarm.faults_for = dice.between(10s, 25s);
    swarm.lease = dice.between(800ms, 2500ms);
    swarm.settle = swarm.lease * static_cast<Duration::rep>(7 + dice.below(9)) / 10;
    if (dice.chance(500)) swarm.retention = dice.between(8s, 14s);
    swarm.patience = dice.between(300ms, 3s);
    swarm.worker_period = dice.between(200ms, 900ms);
    swarm.pause_max = dice.chance(500) ? swarm.settle / 4 : swarm.lease * 4;
    swarm.travel_max = dice.chance(800) ? swarm.settle / 4 : swarm.lease * 4;
    swarm.reads_aside = dice.chance(500);
    swarm.originals = dice.chance(200);
    swarm.waits = dice.chance(400);
    swarm.at_hand = store == StoreKind::memory && dice.chance(300);
    swarm.many_writers = store == StoreKind::sqlite && dice.chance(400);
    return swarm;
}

std::string to_text(const Swarm& swarm)
{
    std::string text = fmt::format(
        "nodes={} clients={} intents={} keys={} faults_for={}ms lease={}ms settle={}ms retention={} "
        "pause_max={}ms travel_max={}ms",
        swarm.nodes, swarm.clients, swarm.intents, swarm.keys, swarm.faults_for / 1ms,
        swarm.lease / 1ms, swarm.settle / 1ms,
        swarm.retention ? fmt::format("{}ms", *swarm.retention / 1ms) : std::string{"forever"},
        swarm.pause_max / 1ms, swarm.travel_max / 1ms
    );
    if (swarm.reads_aside) text += " reads_aside";
    if (swarm.originals) text += " originals";
    if (swarm.waits) text += " waits";
    if (swarm.at_hand) text += " at_hand";
    if (swarm.many_writers) text += " many_writers";
    for (std::size_t kind = 0; kind < fault_kinds_count; ++kind) {
        if (swarm.rates[kind] == 0) continue;
        fmt::format_to(std::back_inserter(text), " {}={}", names[kind], swarm.rates[kind]);
    }
    for (const PlannedCrash& crash : swarm.crashes) {
        fmt::format_to(
            std::back_inserter(text), " crash@{}#{}", umavez::to_text(crash.point), crash.arrival
        );
    }
    return text;
}

}  // namespace umavez::simulation
