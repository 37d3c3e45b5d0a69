#include "support/postgres_server.hpp"

#include "support/server_process.hpp"
#include "support/wait_limit.hpp"

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

std::vector<pid_t> children_of(pid_t parent)
{
    std::vector<pid_t> children;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
        const pid_t child = std::atoi(entry.path().filename().c_str());
        if (child <= 0) continue;
        // A process that ends now has nothing to read: getline says so, an iterator throws.
        std::ifstream stat{entry.path() / "stat"};
        std::string text;
        std::getline(stat, text, '\0');
        // "pid (name) state ppid …": a name may hold anything but ends with the last parenthesis.
        const std::size_t name_end = text.rfind(')');
        if (name_end == std::string::npos || name_end + 4 >= text.size()) continue;
        if (std::atoi(text.c_str() + name_end + 4) == parent) children.push_back(child);
    }
    return children;
}

}  // namespace

PostgresServer::PostgresServer(PostgresOptions options) : options_(std::move(options))
{
    folder_ = make_server_folder(options_.parent + "/umavez-pg-XXXXXX");
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

void PostgresServer::make_data() const
{
    const std::string log = folder_ / "initdb.log";
    std::vector<std::string> arguments = {find_binaries() + "/initdb", "-D", folder_ / "data"};
    if (options_.follows != nullptr) {
        arguments = {find_binaries() + "/pg_basebackup", "-D", folder_ / "data"};
        const std::string primary = "host=127.0.0.1 user=postgres application_name=standby port=" +
                                    std::to_string(options_.follows->port());
        for (const char* const argument : {"-R", "--checkpoint=fast", "--no-sync", "-d"}) {
            arguments.emplace_back(argument);
        }
        arguments.push_back(primary);
    } else {
        for (const char* const argument :
             {"-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"}) {
            arguments.emplace_back(argument);
        }
    }
    if (wait_for(spawn(arguments, log)) != 0) {
        throw std::runtime_error(arguments.front() + " failed: " + read_all(log));
    }
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

void PostgresServer::wait_until_ready()
{
    wait_until_answers(pid_, url(), folder_ / "log");
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
    stop_starting_children();
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
        ::poll(&ended, 1, -1);
        ::close(descriptor);
    }
}

void PostgresServer::stop()
{
    ::kill(pid_, SIGINT);
    reap();
}

void PostgresServer::freeze(bool frozen) const
{
    const int number = frozen ? SIGSTOP : SIGCONT;
    if (frozen) {
        stop_starting_children();
    } else {
        ::kill(pid_, number);
    }
    for (const pid_t child : children_of(pid_)) ::kill(child, number);
}

// A child that it made after somebody looked for them would be missed.
void PostgresServer::stop_starting_children() const
{
    siginfo_t stopped{};
    ::kill(pid_, SIGSTOP);
    ::waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WEXITED | WNOWAIT);
}

void PostgresServer::signal(int number) const
{
    ::kill(pid_, number);
}

void PostgresServer::wait_for_standby() const
{
    require_standby("standby");
    ask_until("SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
}

void PostgresServer::require_standby(const std::string& name) const
{
    run("ALTER SYSTEM SET synchronous_standby_names = '" + name + "'");
    run("SELECT pg_reload_conf()");
    ask_until("SELECT current_setting('synchronous_standby_names') = '" + name + "'");
    // Whoever connects has it now, but commits only wait from when the checkpointer has read it, which it
    // does before a checkpoint.
    run("CHECKPOINT");
}

// Nothing tells when a setting has arrived or a standby counts.
void PostgresServer::ask_until(const std::string& truth) const
{
    wait_until(truth, [&] { return run(truth) == "t"; });
}

void PostgresServer::promote() const
{
    if (run("SELECT pg_promote()") != "t") {
        throw std::runtime_error("the standby was not promoted: " + read_all(folder_ / "log"));
    }
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
