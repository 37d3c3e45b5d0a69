#pragma once

// EngineSide: an engine on a database of its own, used as a program would use it. Audit on, durable.
// Confined to the thread that owns it.

#include "support/requests.hpp"

#include <umavez/engine.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace umavez::bench {

class EngineSide {
public:
    explicit EngineSide(const std::string& url);

    // Claim, an empty handler, completion: 64 callers at a time, as coroutines or as blocking threads.
    double leased_by_tasks(std::chrono::milliseconds window);
    double leased_by_threads(std::chrono::milliseconds window);

    // The same with one insert into a table of ours, in the transaction of the record.
    double atomic_by_tasks(std::chrono::milliseconds window);

    // A lone caller: the median of begin(), in microseconds.
    double claim_p50(std::chrono::milliseconds window);

    // Claimed and finished; what make_many() copies.
    void leave_one_record();

    // How many requests shared a commit, on average, since the last call.
    double mean_batch();

private:
    std::unique_ptr<Database> database_;
    std::unique_ptr<Engine> engine_;
    Requests leased_;
    Requests atomic_{"pedidos.gravar"};
    LaneStats seen_;
    std::uint64_t next_ = 0;  // number of the next key
};

}  // namespace umavez::bench
