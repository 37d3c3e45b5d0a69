#include "child_process.hpp"

#include "support/wait_limit.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern "C" {  // which glibc 2.36 forgets
#include <sys/pidfd.h>
}

namespace umavez::crash {
namespace {

[[noreturn]] void fail_with(const char* what, int error = errno)
{
    throw std::system_error{error, std::generic_category(), what};
}

int make_timer(Duration in)
{
    const int timer = ::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
    const auto micros = std::max<Duration::rep>(in.count(), 1);
    itimerspec when{};
    when.it_value = {.tv_sec = micros / 1'000'000, .tv_nsec = micros % 1'000'000 * 1'000};
    if (timer < 0 || ::timerfd_settime(timer, 0, &when, nullptr) != 0) fail_with("timerfd");
    return timer;
}

std::vector<std::string> environment_for(const ChildOptions& options)
{
    std::vector<std::string> all;
    for (char** each = environ; *each != nullptr; ++each) {
        if (std::strncmp(*each, "UMAVEZ_CRASH_", 13) != 0) all.emplace_back(*each);
    }
    const auto lease = std::chrono::duration_cast<std::chrono::milliseconds>(options.lease);
    all.push_back(fmt::format("UMAVEZ_CRASH_LEASE_MS={}", lease.count()));
    if (options.kill) all.push_back("UMAVEZ_CRASH_AT=" + to_text(*options.kill));
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

ChildProcess::ChildProcess(const ChildOptions& options)
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) fail_with("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    std::vector<std::string> arguments = {
        UMAVEZ_CRASH_CHILD,
        options.directory,
        options.errand == Errand::endless ? "endless" : "finish"
    };
    std::vector<std::string> environment = environment_for(options);
    const int error = ::posix_spawn(
        &process_,
        UMAVEZ_CRASH_CHILD,
        &actions,
        nullptr,
        pointers_to(arguments).data(),
        pointers_to(environment).data()
    );
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    output_ = pipe[0];
    if (error != 0) fail_with(UMAVEZ_CRASH_CHILD, error);
    process_descriptor_ = ::pidfd_open(process_, 0);
    if (process_descriptor_ < 0) fail_with("pidfd_open");
    ::fcntl(output_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess()
{
    if (!death_.is_over) kill();
    ::close(process_descriptor_);
    ::close(output_);
}

Death ChildProcess::watch(Duration limit, const std::function<bool()>& enough)
{
    const int timer = make_timer(limit);
    bool is_up = false;
    while (!death_.is_over && !is_up) {
        std::array<pollfd, 3> watched = {
            pollfd{output_, POLLIN, 0},
            pollfd{process_descriptor_, POLLIN, 0},
            pollfd{timer, POLLIN, 0}
        };
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) fail_with("poll");
        const bool has_spoken = (watched[0].revents & POLLIN) != 0 && read_output();
        if (watched[1].revents != 0) {
            reap();
        } else if (watched[2].revents != 0 || (has_spoken && enough && enough())) {
            is_up = true;
        }
    }
    ::close(timer);
    return death_;
}

void ChildProcess::send(int signal)
{
    ::pidfd_send_signal(process_descriptor_, signal, nullptr, 0);
}

Death ChildProcess::kill()
{
    send(SIGKILL);
    return watch(test::wait_limit());
}

// False: nothing was there to read.
bool ChildProcess::read_output()
{
    std::array<char, 65536> bytes;
    const ssize_t count = ::read(output_, bytes.data(), bytes.size());
    if (count <= 0) return false;
    rest_.append(bytes.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
        lines_.push_back(rest_.substr(begin, end - begin));
    }
    rest_.erase(0, begin);
    return true;
}

// What it said before its end is still in the pipe.
Death ChildProcess::reap()
{
    while (read_output()) continue;
    siginfo_t info{};
    if (::waitid(P_PIDFD, static_cast<id_t>(process_descriptor_), &info, WEXITED) != 0) {
        fail_with("waitid");
    }
    const bool is_killed = info.si_code != CLD_EXITED;
    death_ = {
        .is_over = true,
        .signal = is_killed ? info.si_status : 0,
        .exit_code = is_killed ? 0 : info.si_status,
    };
    return death_;
}

}  // namespace umavez::crash
