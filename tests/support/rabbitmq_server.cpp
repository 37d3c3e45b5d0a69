#include "support/rabbitmq_server.hpp"

#include "support/free_port.hpp"
#include "support/wait_limit.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace umavez::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* programs = "/usr/lib/rabbitmq/bin/";

// It takes several seconds where nothing else runs.
std::chrono::seconds start_limit()
{
    return 2 * wait_limit();
}

const passwd* server_user()
{
    if (::geteuid() != 0) return nullptr;
    const passwd* const user = ::getpwnam("rabbitmq");
    if (user == nullptr) throw std::runtime_error("there is no user rabbitmq: install RabbitMQ");
    return user;
}

int connect_to(int port)
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
        return socket;
    ::close(socket);
    return -1;
}

// Greets as a client would: a server that answers with a frame takes connections.
bool greets(int port)
{
    const int socket = connect_to(port);
    if (socket < 0) return false;
    constexpr std::array<char, 8> greeting = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    char first = 0;
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const bool is_ready =
        ::send(socket, greeting.data(), greeting.size(), MSG_NOSIGNAL) == std::ssize(greeting) &&
        ::recv(socket, &first, 1, 0) == 1 && first == 1;
    ::close(socket);
    return is_ready;
}

std::string read_all(const fs::path& path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

int wait_for(pid_t child)
{
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

// Until the child ends, 50 ms at most.
bool has_ended(pid_t child)
{
    const int watched = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    pollfd ended{.fd = watched, .events = POLLIN, .revents = 0};
    const bool is_over = ::poll(&ended, 1, 50) > 0;
    ::close(watched);
    return is_over;
}

}  // namespace

RabbitMqServer::RabbitMqServer(std::vector<std::string> settings)
{
    if (!fs::exists(std::string{programs} + "rabbitmq-server"))
        throw std::runtime_error(std::string{"no RabbitMQ under "} + programs + ": install it");
    std::string pattern = "/tmp/umavez-rmq-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
    folder_ = pattern;
    ::chmod(folder_.c_str(), 0755);
    port_ = find_free_port();
    node_port_ = find_free_port();
    names_port_ = find_free_port();
    {
        std::ofstream file{folder_ / "rabbitmq.conf"};
        file << "listeners.tcp.default = 127.0.0.1:" << port_
             << "\nlog.console = true\nlog.file = false\ndisk_free_limit.absolute = 1MB\n";
        for (const std::string& setting : settings) file << setting << "\n";
        std::ofstream{folder_ / "enabled_plugins"} << "[].\n";
    }
    if (const passwd* const user = server_user()) {
        for (const fs::path& path :
             {folder_, folder_ / "rabbitmq.conf", folder_ / "enabled_plugins"}) {
            if (::chown(path.c_str(), user->pw_uid, user->pw_gid) != 0)
                throw std::runtime_error("chown: " + path.string());
        }
    }
    start();
}

RabbitMqServer::~RabbitMqServer()
{
    if (pid_ > 0) kill();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::vector<std::string> RabbitMqServer::environment() const
{
    const std::string folder = folder_.string();
    const char* const path = std::getenv("PATH");
    return {
        std::string{"PATH="} + (path != nullptr ? path : "/usr/bin:/bin"),
        "HOME=" + folder,
        "LANG=C.UTF-8",
        "RABBITMQ_NODENAME=umavez@localhost",
        "RABBITMQ_MNESIA_BASE=" + folder + "/mnesia",
        "RABBITMQ_LOG_BASE=" + folder + "/logs",
        "RABBITMQ_CONFIG_FILE=" + folder + "/rabbitmq.conf",
        "RABBITMQ_ENABLED_PLUGINS_FILE=" + folder + "/enabled_plugins",
        "RABBITMQ_PID_FILE=" + folder + "/pid",
        "RABBITMQ_DIST_PORT=" + std::to_string(node_port_),
        "ERL_EPMD_ADDRESS=127.0.0.1",
        "ERL_EPMD_PORT=" + std::to_string(names_port_),
        // The script becomes the server: its process id is ours.
        "RUNNING_UNDER_SYSTEMD=1",
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1} "
        "+sbwt none",
    };
}

pid_t RabbitMqServer::spawn(const std::vector<std::string>& arguments, const std::string& log) const
{
    std::vector<std::string> settings = environment();
    std::vector<char*> argv;
    std::vector<char*> envp;
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    for (std::string& setting : settings) envp.push_back(setting.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    const passwd* const user = server_user();
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork: " + std::string{std::strerror(errno)});
    if (child == 0) {
        const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        ::dup2(nothing, 0);
        ::dup2(output, 1);
        ::dup2(output, 2);
        ::setpgid(0, 0);
        if (user != nullptr && (::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0))
            ::_exit(126);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::chdir("/") != 0) ::_exit(126);
        ::execvpe(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    return child;
}

void RabbitMqServer::start()
{
    const std::string log = folder_ / "log";
    // Ours, so that it ends with us: a node that finds none starts one that stays for ever.
    names_pid_ =
        spawn({"epmd", "-port", std::to_string(names_port_), "-address", "127.0.0.1"}, log);
    const auto deadline = std::chrono::steady_clock::now() + start_limit();
    for (int socket = -1; socket < 0;) {
        socket = connect_to(names_port_);
        if (socket >= 0) ::close(socket);
        const bool is_late = std::chrono::steady_clock::now() > deadline;
        if (socket >= 0) break;
        if (is_late) throw WaitNotMet(not_met("epmd starts") + ": " + read_all(log));
        if (has_ended(names_pid_)) throw std::runtime_error("epmd did not start: " + read_all(log));
    }
    pid_ = spawn({std::string{programs} + "rabbitmq-server"}, log);
    while (!greets(port_)) {
        const bool is_late = std::chrono::steady_clock::now() > deadline;
        if (is_late) throw WaitNotMet(not_met("RabbitMQ starts") + ": " + read_all(log));
        if (has_ended(pid_)) throw std::runtime_error("RabbitMQ did not start: " + read_all(log));
    }
}

void RabbitMqServer::stop()
{
    ::kill(pid_, SIGTERM);
    reap();
}

void RabbitMqServer::kill()
{
    ::kill(pid_, SIGKILL);
    reap();
}

void RabbitMqServer::freeze(bool is_frozen) const
{
    ::kill(pid_, is_frozen ? SIGSTOP : SIGCONT);
}

void RabbitMqServer::reap()
{
    wait_for(pid_);
    ::kill(names_pid_, SIGKILL);
    wait_for(names_pid_);
    pid_ = names_pid_ = -1;
}

std::string RabbitMqServer::eval(const std::string& expression) const
{
    const std::string log = folder_ / "eval";
    fs::remove(log);
    const pid_t child =
        spawn({std::string{programs} + "rabbitmqctl", "-q", "eval", expression + "."}, log);
    const bool is_done = wait_for(child) == 0;
    const std::string printed = read_all(log);
    if (!is_done) throw std::runtime_error(expression + ": " + printed);
    return printed;
}

void RabbitMqServer::alarm(bool is_on) const
{
    eval(
        std::string{"vm_memory_monitor:set_vm_memory_high_watermark("} +
        (is_on ? "0.00000001" : "0.9") + ")"
    );
}

RabbitMqServer& shared_rabbitmq()
{
    static RabbitMqServer server;
    return server;
}

}  // namespace umavez::test
