#include "app/stop_signal.hpp"

#include <csignal>
#include <ctime>

namespace umavez {
namespace {

sigset_t awaited_signals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    return signals;
}

}  // namespace

void block_signals()
{
    const sigset_t signals = awaited_signals();
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

const char* wait_for_stop_signal(const Interruptions& interruptions)
{
    const sigset_t signals = awaited_signals();
    constexpr timespec period{.tv_sec = 1, .tv_nsec = 0};
    int signal = 0;
    while (signal != SIGTERM && signal != SIGINT) {
        signal = ::sigtimedwait(&signals, nullptr, &period);
        if (signal == SIGHUP) interruptions.on_hangup();
        interruptions.every_second();
    }
    // Not SIGHUP: a reload that comes too late must not cut off who is just finishing.
    sigset_t endings;
    sigemptyset(&endings);
    sigaddset(&endings, SIGTERM);
    sigaddset(&endings, SIGINT);
    ::pthread_sigmask(SIG_UNBLOCK, &endings, nullptr);
    return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace umavez
