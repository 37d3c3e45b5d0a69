// What `POST /api/v1/clientes` writes, written by hand: a client, its record and its audit entry,
// complete at once, in transactions of 32, on the tables that the server made. No HTTP, no rules, no
// queue, one thread that never waits for anybody: the limit of what a server on this file can do.
//
// Usage: clientes_writer measure FILE MILLISECONDS   prints clients per second
//        clientes_writer fill FILE CLIENTS           stores so many, fast and without a flush

#include "store/identity.hpp"
#include "support/raw_sqlite.hpp"
#include "support/requests.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <random>

namespace umavez::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int batch = 32;
constexpr std::string_view tenant = "default";
constexpr std::string_view operation = "clientes.criar";
constexpr std::string_view digest = "0123456789abcdef0123456789abcdef";
constexpr std::string_view short_digest = digest.substr(16);

class Writer {
public:
    explicit Writer(const std::string& path)
        : tenant_id_(must(TenantId::parse(tenant))),
          operation_(must(Operation::parse(operation))),
          file_(path)
    {
        client_ = file_.prepare(
            "INSERT INTO clientes (tenant_id, nome, email, documento, idempotencia_key, "
            "created_at, updated_at) VALUES (?1, 'Maria da Silva', ?2, '123.456.789-00', ?3, ?4, ?4)"
        );
        record_ = file_.prepare(
            "INSERT INTO umavez_records (identity, rank, tenant_id, operation, key, target, "
            "fingerprint, fingerprint_version, status, final, mode, epoch, execution, attempts, "
            "takeovers, created_at, updated_at, completed_at, response_status, response_digest, "
            "response_omitted, entity_type, entity_id, response_headers, response_body) "
            "VALUES (?1, 0, ?2, ?3, ?4, ?5, ?5, 1, 'succeeded', 0, 'run', ?6, ?7, 1, 0, ?6, ?6, "
            "?6, 201, ?7, 0, 'cliente', ?8, ?9, ?10)"
        );
        audit_ = file_.prepare(
            "INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, "
            "execution, detail) VALUES (?1, ?2, ?3, ?4, ?5, 'executed', ?2, ?6, '')"
        );
    }
    double clients_per_second(std::chrono::milliseconds window)
    {
        const auto started_at = Clock::now();
        std::uint64_t written = 0;
        while (Clock::now() < started_at + window) {
            file_.begin();
            for (int i = 0; i < batch; ++i) write_client();
            file_.commit();
            written += batch;
        }
        const std::chrono::duration<double> passed = Clock::now() - started_at;
        return static_cast<double>(written) / passed.count();
    }

    void fill(std::uint64_t clients)
    {
        constexpr std::uint64_t chunk = 20'000;
        file_.begin_fill();
        for (std::uint64_t written = 0; written < clients; written += chunk) {
            file_.begin();
            for (std::uint64_t i = 0; i < chunk; ++i) write_client();
            file_.commit();
        }
        file_.end_fill();
    }

private:
    void write_client()
    {
        const std::uint64_t number = random_();
        const std::string key = make_key(number);
        const std::string email = fmt::format("m{:x}@example.com", number);
        const std::int64_t now = to_micros(system_clock().realtime());
        bind(client_, 1, tenant);
        bind(client_, 2, email);
        bind(client_, 3, key);
        bind(client_, 4, now);
        file_.step(client_);
        const std::string id = std::to_string(file_.last_row());

        const std::string body = fmt::format(
            R"({{"id":{},"nome":"Maria da Silva","email":"{}","documento":"123.456.789-00",)"
            R"("idempotencia_key":"{}","created_at":"2026-01-31T12:00:00.000000Z",)"
            R"("updated_at":"2026-01-31T12:00:00.000000Z"}})",
            id,
            email,
            key
        );
        bind(
            record_, 1, identity_of({tenant_id_, operation_, must(Key::parse(key))})
        );
        bind(record_, 2, tenant);
        bind(record_, 3, operation);
        bind(record_, 4, key);
        bind_blob(record_, 5, digest);
        bind(record_, 6, now);
        bind_blob(record_, 7, short_digest);
        bind(record_, 8, id);
        bind_blob(record_, 9, digest);
        bind_blob(record_, 10, body);
        file_.step(record_);

        bind(audit_, 1, file_.last_row());
        bind(audit_, 2, now);
        bind(audit_, 3, tenant);
        bind(audit_, 4, operation);
        bind(audit_, 5, key);
        bind_blob(audit_, 6, short_digest);
        file_.step(audit_);
    }

    const TenantId tenant_id_;
    const Operation operation_;
    std::mt19937_64 random_{std::random_device{}()};
    RawSqlite file_;
    sqlite3_stmt* client_ = nullptr;
    sqlite3_stmt* record_ = nullptr;
    sqlite3_stmt* audit_ = nullptr;
};

}  // namespace
}  // namespace umavez::bench

int main(int argc, char** argv)
{
    using namespace umavez::bench;
    const std::string_view task = argc == 4 ? argv[1] : "";
    if (task != "measure" && task != "fill") {
        give_up("usage: clientes_writer measure FILE MILLISECONDS | fill FILE CLIENTS");
    }
    Writer writer{argv[2]};
    const long count = std::atol(argv[3]);
    if (task == "measure") {
        fmt::print("{:.0f}\n", writer.clients_per_second(std::chrono::milliseconds{count}));
    } else {
        writer.fill(static_cast<std::uint64_t>(count));
    }
}
