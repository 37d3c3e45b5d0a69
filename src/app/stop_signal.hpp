#pragma once

// How a program that runs for long is told to end. For the main thread.

#include <functional>

namespace umavez {

// Before the first thread starts, so that all of them inherit it and the signal comes to who waits for it.
void block_signals();

struct Interruptions {
    std::function<void()> on_hangup;     // SIGHUP
    std::function<void()> every_second;  // about
};

// Waits for SIGTERM or SIGINT and gives its name. The second one ends the process at once.
const char* wait_for_stop_signal(const Interruptions& interruptions);

}  // namespace umavez
