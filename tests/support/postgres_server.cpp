#include "support/postgres_server.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <libpq-fe.h>
#include <memory>
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

constexpr auto patience = std::chrono::seconds{30};

// The newest of Debian's.
std::string find_binaries()
{
    std::filesystem::path best;
    int newest = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator{"/usr/lib/postgresql", ignored}) {
        const int version = std::atoi(entry.path().filename().c_str());
        if (version <= newest || !std::filesystem::exists(entry.path() / "bin/postgres")) continue;
        newest = version;
        best = entry.path() / "bin";
    }
    if (best.empty())
        throw std::runtime_error("no PostgreSQL under /usr/lib/postgresql: install it");
    return best;
}

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

std::vector<pid_t> children_of(pid_t parent)
{
    std::vector<pid_t> children;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
        const pid_t child = std::atoi(entry.path().filename().c_str());
        if (child <= 0) continue;
        std::ifstream stat{entry.path() / "stat"};
        std::string text{std::istreambuf_iterator<char>{stat}, {}};
        // "pid (name) state ppid …": a name may hold anything but ends with the last parenthesis.
        const std::size_t name_end = text.rfind(')');
        if (name_end == std::string::npos || name_end + 4 >= text.size()) continue;
        if (std::atoi(text.c_str() + name_end + 4) == parent) children.push_back(child);
    }
    return children;
}

std::string read_all(const std::filesystem::path& path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

int free_port()
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool is_bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                          ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(socket);
    if (!is_bound) throw std::runtime_error("no free port on loopback");
    return ntohs(address.sin_port);
}

}  // namespace

PostgresServer::PostgresServer(PostgresOptions options) : options_(std::move(options))
{
    // Not the test's own TMPDIR: a socket's path is short, and the server's user must reach it.
    std::string pattern = options_.parent + "/umavez-pg-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
    folder_ = pattern;
    if (const passwd* const user = server_user()) {
        if (::chown(pattern.c_str(), user->pw_uid, user->pw_gid) != 0) {
            throw std::runtime_error("chown: " + pattern);
        }
    }
    ::chmod(pattern.c_str(), 0755);
    if (options_.listens) port_ = free_port();
    make_data();
    start();
}

PostgresServer::~PostgresServer()
{
    if (pid_ > 0) {
        ::kill(pid_, SIGQUIT);
        reap();
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string PostgresServer::binaries()
{
    return find_binaries();
}

void PostgresServer::make_data()
{
    const std::string log = folder_ / "initdb.log";
    const pid_t child = spawn(
        {find_binaries() + "/initdb",
         "-D",
         folder_ / "data",
         "-U",
         "postgres",
         "-A",
         "trust",
         "-E",
         "UTF8",
         "--locale=C.UTF-8",
         "--no-sync"},
        log
    );
    if (wait_for(child) != 0) throw std::runtime_error("initdb failed: " + read_all(log));
}

void PostgresServer::start()
{
    std::vector<std::string> arguments = {
        find_binaries() + "/postgres",
        "-D",
        folder_ / "data",
        "-c",
        "unix_socket_directories=" + folder_.string(),
        "-c",
        options_.listens ? "listen_addresses=127.0.0.1" : "listen_addresses=",
        "-c",
        "port=" + std::to_string(port_),
        "-c",
        "max_connections=200",
        "-c",
        "shared_buffers=64MB",
    };
    if (!options_.durable) {
        for (const char* const setting :
             {"fsync=off", "synchronous_commit=off", "full_page_writes=off"}) {
            arguments.insert(arguments.end(), {"-c", setting});
        }
    }
    for (const std::string& setting : options_.settings) {
        arguments.insert(arguments.end(), {"-c", setting});
    }
    pid_ = spawn(arguments, folder_ / "log");
    wait_until_ready();
}

// A ping answers as soon as the server does; between two pings its end is waited for.
void PostgresServer::wait_until_ready()
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    const std::string address = url();
    const int watched = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    while (PQping(address.c_str()) != PQPING_OK) {
        pollfd ended{.fd = watched, .events = POLLIN, .revents = 0};
        const bool is_over = ::poll(&ended, 1, 20) > 0;
        if (is_over || std::chrono::steady_clock::now() > deadline) {
            ::close(watched);
            throw std::runtime_error("PostgreSQL did not start: " + read_all(folder_ / "log"));
        }
    }
    ::close(watched);
}

void PostgresServer::reap()
{
    wait_for(pid_);
    pid_ = -1;
}

// Its processes are sessions of their own and keep the shared memory, without which no other server
// starts: each is killed and waited for.
void PostgresServer::kill()
{
    std::vector<int> watched;
    const std::vector<pid_t> children = children_of(pid_);
    ::kill(pid_, SIGKILL);
    for (const pid_t child : children) {
        const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
        ::kill(child, SIGKILL);
        if (descriptor >= 0) watched.push_back(descriptor);
    }
    reap();
    for (const int descriptor : watched) {
        pollfd ended{.fd = descriptor, .events = POLLIN, .revents = 0};
        ::poll(&ended, 1, 10'000);
        ::close(descriptor);
    }
}

void PostgresServer::stop()
{
    ::kill(pid_, SIGINT);
    reap();
}

void PostgresServer::signal(int number) const
{
    ::kill(pid_, number);
}

std::string PostgresServer::url(const std::string& parameters) const
{
    return url_of(options_.listens ? "127.0.0.1" : folder_.string(), port_, parameters);
}

std::string PostgresServer::url_of(const std::string& host, int port, const std::string& parameters)
    const
{
    std::string url =
        "postgres://postgres@/postgres?host=" + host + "&port=" + std::to_string(port);
    if (!parameters.empty()) url += "&" + parameters;
    return url;
}

std::string PostgresServer::run_in(const std::string& database, const std::string& sql) const
{
    // The last of two parameters of one name counts.
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection{
        PQconnectdb(url("dbname=" + database).c_str()), PQfinish
    };
    PQsetNoticeProcessor(connection.get(), [](void*, const char*) {}, nullptr);
    const std::unique_ptr<PGresult, decltype(&PQclear)> result{
        PQexec(connection.get(), sql.c_str()), PQclear
    };
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        throw std::runtime_error(sql + ": " + PQerrorMessage(connection.get()));
    }
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

PostgresServer& shared_postgres()
{
    static PostgresServer server;
    return server;
}

PostgresServer& shared_durable_postgres()
{
    static PostgresServer server{{.durable = true}};
    return server;
}

PostgresSchema::PostgresSchema(PostgresServer& server) : server_(server)
{
    static int schemas = 0;
    name_ = "test_" + std::to_string(++schemas);
    server_.run("CREATE SCHEMA " + name_);
}

PostgresSchema::~PostgresSchema()
{
    try {
        server_.run("DROP SCHEMA " + name_ + " CASCADE");
    } catch (const std::exception&) {
        // The server goes away with the program anyway.
    }
}

std::string PostgresSchema::url(const std::string& more) const
{
    std::string parameters = "options=-c%20search_path%3D" + name_;
    if (!more.empty()) parameters += "&" + more;
    return server_.url(parameters);
}

}  // namespace umavez::test
