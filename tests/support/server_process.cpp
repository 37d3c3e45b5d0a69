#include "support/server_process.hpp"

#include "support/free_port.hpp"
#include "support/wait_limit.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <libpq-fe.h>
#include <poll.h>
#include <pwd.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace umavez::test {
namespace {

const passwd* server_user()
{
    if (::geteuid() != 0) return nullptr;
    const passwd* const user = ::getpwnam("postgres");
    if (user == nullptr)
        throw std::runtime_error("there is no user postgres, and root cannot run it");
    return user;
}

// In the child: becomes the server's user, and ends when the test does.
void become_server(const passwd* user)
{
    if (user != nullptr && (::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0))
        ::_exit(126);
    ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
}

}  // namespace

pid_t spawn(const std::vector<std::string>& arguments, const std::string& log)
{
    std::vector<char*> argv;
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const passwd* const user = server_user();
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork: " + std::string{std::strerror(errno)});
    if (child == 0) {
        const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        ::dup2(output, 1);
        ::dup2(output, 2);
        ::setpgid(0, 0);
        become_server(user);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    return child;
}

int wait_for(pid_t child)
{
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

std::string read_all(const std::filesystem::path& path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

int free_port()
{
    return find_free_port();
}

std::filesystem::path make_server_folder(std::string pattern)
{
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
    if (const passwd* const user = server_user()) {
        if (::chown(pattern.c_str(), user->pw_uid, user->pw_gid) != 0) {
            throw std::runtime_error("chown: " + pattern);
        }
    }
    ::chmod(pattern.c_str(), 0755);
    return pattern;
}

// A ping answers as soon as the server does; between two pings its end is waited for.
void wait_until_answers(pid_t pid, const std::string& url, const std::filesystem::path& log)
{
    const auto deadline = std::chrono::steady_clock::now() + wait_limit();
    const int watched = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    while (PQping(url.c_str()) != PQPING_OK) {
        pollfd ended{.fd = watched, .events = POLLIN, .revents = 0};
        const bool is_over = ::poll(&ended, 1, 20) > 0;
        if (is_over) {
            ::close(watched);
            throw std::runtime_error("the server did not start: " + read_all(log));
        }
        if (std::chrono::steady_clock::now() > deadline) {
            ::close(watched);
            throw WaitNotMet(not_met("the server answers") + ": " + read_all(log));
        }
    }
    ::close(watched);
}

}  // namespace umavez::test
