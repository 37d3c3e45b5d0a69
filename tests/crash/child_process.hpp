#pragma once

// ChildProcess: a crash_child, what it said, and how it ended.
//
// Every wait is a poll on its output, on its end and on a timer; nothing sleeps. A child that is
// still alive when its object goes is killed. Confined to one thread.

#include "kill_switch.hpp"

#include <umavez/time.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace umavez::crash {

enum class Errand : std::uint8_t { endless, finish };

// Of a child that did not get every last answer in time.
inline constexpr int exit_code_late = 5;

struct ChildOptions {
    std::string directory;
    Errand errand = Errand::endless;
    Duration lease = std::chrono::milliseconds{200};
    std::optional<KillAt> kill;
};

struct Death {
    bool is_over = false;  // false: the time was up first
    int signal = 0;        // that killed it, or 0
    int exit_code = 0;
};

class ChildProcess {
public:
    explicit ChildProcess(const ChildOptions& options);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    // Collects what it says until it ends, or `limit` is over, or `enough` says so after a line.
    Death watch(Duration limit, const std::function<bool()>& enough = {});

    void send(int signal);
    Death kill();

    // Whole lines, in order.
    const std::vector<std::string>& lines() const noexcept { return lines_; }

private:
    bool read_output();
    Death reap();

    int process_ = -1;
    int process_descriptor_ = -1;
    int output_ = -1;
    std::string rest_;  // of a line that is not whole yet
    std::vector<std::string> lines_;
    Death death_;
};

}  // namespace umavez::crash
