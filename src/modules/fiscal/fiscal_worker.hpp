#pragma once

// FiscalWorker: threads that take documents whose time has come and bring them on without their clients:
// sent and never answered, in doubt, a cancellation that is pending or looked at by the tax office, a voiding
// without an answer.
//
// Any number of workers, in any number of processes, share the table. A document that was taken is put off,
// so that others look elsewhere; what keeps two from sending it is the lease of its key.
//
//     fiscal::FiscalWorker worker{module, {.threads = settings.threads}};   // after engine->start()
//     …
//     worker.stop();                                                        // before engine->stop()
//
// Thread-safe. Outlived by the module. stop() gives back what was taken and not begun, lets calls that run
// come to their end for `stop_grace` and then ends them: what they did is found out later.

#include "modules/fiscal/module.hpp"
#include "modules/fiscal/under_lease.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace umavez::fiscal {

struct FiscalWorkerOptions {
    std::size_t threads = 4;
    Duration period = std::chrono::seconds{1};  // between looks at a table that had nothing to do
    Duration stop_grace = std::chrono::seconds{5};
};

class FiscalWorker {
public:
    FiscalWorker(Module& module, FiscalWorkerOptions options);
    ~FiscalWorker();
    FiscalWorker(const FiscalWorker&) = delete;
    FiscalWorker& operator=(const FiscalWorker&) = delete;

    void stop();

    // Why something could not be done, if it could not; told once.
    std::optional<std::string> take_trouble();

private:
    void run();
    // Nullopt: stopped.
    std::optional<Documento> next();
    void fetch(std::unique_lock<std::mutex>& lock);
    // By whoever looks, without the mutex.
    Result<std::vector<Documento>> look_for_due();
    void give_back();
    void note_trouble(std::string detail);

    Module& module_;
    const FiscalWorkerOptions options_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Documento> taken_;  // guarded by mutex_
    bool is_looking_ = false;      // guarded by mutex_: one thread, for all of them
    std::optional<Duration> looked_for_abandoned_;  // of whoever looks: boottime
    bool is_stopping_ = false;                      // guarded by mutex_
    std::size_t running_ = 0;                       // guarded by mutex_: threads
    std::optional<std::string> trouble_;            // guarded by mutex_
    std::vector<std::jthread> threads_;             // last: they use all of the above
};

// One document, as a worker drives it: the operation its state asks for, then when to look again. An error
// is the database's: the document comes back when its time of hiding is over.
Result<void> work_on(Module& module, const Documento& documento, When when = When::due);

// Frees the keys whose process died before their document had a row that tells a worker of it: otherwise
// only their client could, who may never come back. Sends and asks nothing.
Result<void> free_abandoned(Module& module);

}  // namespace umavez::fiscal
