#include "support/pgbouncer.hpp"

#include "support/server_process.hpp"

#include <csignal>
#include <fstream>

namespace umavez::test {

PgBouncer::PgBouncer(
    const PostgresServer& server, int server_connections, const std::string& settings
)
    : server_(server), folder_(make_server_folder("/tmp/umavez-pgb-XXXXXX")), port_(free_port())
{
    write_settings(server_connections, settings);
    pid_ = spawn({"/usr/sbin/pgbouncer", folder_ / "settings.ini"}, folder_ / "log");
    wait_until_answers(pid_, url(""), folder_ / "log");
}

PgBouncer::~PgBouncer()
{
    ::kill(pid_, SIGKILL);
    wait_for(pid_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void PgBouncer::write_settings(int server_connections, const std::string& more) const
{
    std::ofstream settings{folder_ / "settings.ini"};
    settings << "[databases]\npostgres = host=127.0.0.1 port=" << server_.port()
             << " user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " << port_
             << "\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\nmax_client_conn = 200"
                "\ndefault_pool_size = "
             << server_connections << "\nserver_login_retry = 0.2\n"
             << more << "\n";
}

std::string PgBouncer::url(const std::string& parameters) const
{
    return server_.url_of("127.0.0.1", port_, parameters);
}

}  // namespace umavez::test
