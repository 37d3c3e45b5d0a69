// What `POST /api/v1/clientes` writes, written by hand: a client, its record and its audit entry,
// complete at once, in transactions of 32, on the tables that the server made. No HTTP, no rules, no
// queue, one thread that never waits for anybody: the limit of what a server on this file can do.
//
// Usage: clientes_writer measure FILE MILLISECONDS   prints clients per second
//        clientes_writer fill FILE CLIENTS           stores so many, fast and without a flush

#include "database/sqlite/tuning.hpp"
#include "store/sqlite/identity.hpp"
#include "support/requests.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

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
    explicit Writer(const char* path)
        : tenant_id_(must(TenantId::parse(tenant))), operation_(must(Operation::parse(operation)))
    {
        constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
        if (sqlite3_open_v2(path, &database_, flags, nullptr) != SQLITE_OK) {
            give_up(fmt::format("cannot open {}", path));
        }
        execute("PRAGMA synchronous = FULL");
        execute("PRAGMA temp_store = MEMORY");
        execute("PRAGMA foreign_keys = ON");
        execute(fmt::format("PRAGMA cache_size = -{}", tuning::lane_cache_kib).c_str());
        execute(fmt::format("PRAGMA wal_autocheckpoint = {}", tuning::checkpoint_pages).c_str());
        begin_ = prepare("BEGIN IMMEDIATE");
        commit_ = prepare("COMMIT");
        client_ = prepare(
            "INSERT INTO clientes (tenant_id, nome, email, documento, idempotencia_key, "
            "created_at, updated_at) VALUES (?1, 'Maria da Silva', ?2, '123.456.789-00', ?3, ?4, ?4)"
        );
        record_ = prepare(
            "INSERT INTO umavez_records (identity, rank, tenant_id, operation, key, target, "
            "fingerprint, fingerprint_version, status, final, mode, epoch, execution, attempts, "
            "takeovers, created_at, updated_at, completed_at, response_status, response_digest, "
            "response_omitted, entity_type, entity_id, response_headers, response_body) "
            "VALUES (?1, 0, ?2, ?3, ?4, ?5, ?5, 1, 'succeeded', 0, 'run', ?6, ?7, 1, 0, ?6, ?6, "
            "?6, 201, ?7, 0, 'cliente', ?8, ?9, ?10)"
        );
        audit_ = prepare(
            "INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, "
            "execution, detail) VALUES (?1, ?2, ?3, ?4, ?5, 'executed', ?2, ?6, '')"
        );
    }
    ~Writer()
    {
        for (sqlite3_stmt* const statement : {begin_, commit_, client_, record_, audit_}) {
            sqlite3_finalize(statement);
        }
        sqlite3_close(database_);
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    double clients_per_second(std::chrono::milliseconds window)
    {
        const auto started_at = Clock::now();
        std::uint64_t written = 0;
        while (Clock::now() < started_at + window) {
            step(begin_);
            for (int i = 0; i < batch; ++i) write_client();
            step(commit_);
            written += batch;
        }
        const std::chrono::duration<double> passed = Clock::now() - started_at;
        return static_cast<double>(written) / passed.count();
    }

    void fill(std::uint64_t clients)
    {
        constexpr std::uint64_t chunk = 20'000;
        execute("PRAGMA synchronous = OFF");
        execute("PRAGMA cache_size = -2000000");
        for (std::uint64_t written = 0; written < clients; written += chunk) {
            step(begin_);
            for (std::uint64_t i = 0; i < chunk; ++i) write_client();
            step(commit_);
        }
        execute("PRAGMA wal_checkpoint(TRUNCATE)");
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
        sqlite3_bind_int64(client_, 4, now);
        step(client_);
        const std::string id = std::to_string(sqlite3_last_insert_rowid(database_));

        const std::string body = fmt::format(
            R"({{"id":{},"nome":"Maria da Silva","email":"{}","documento":"123.456.789-00",)"
            R"("idempotencia_key":"{}","created_at":"2026-01-31T12:00:00.000000Z",)"
            R"("updated_at":"2026-01-31T12:00:00.000000Z"}})",
            id,
            email,
            key
        );
        sqlite3_bind_int64(
            record_, 1, identity_of({tenant_id_, operation_, must(Key::parse(key))})
        );
        bind(record_, 2, tenant);
        bind(record_, 3, operation);
        bind(record_, 4, key);
        bind_blob(record_, 5, digest);
        sqlite3_bind_int64(record_, 6, now);
        bind_blob(record_, 7, short_digest);
        bind(record_, 8, id);
        bind_blob(record_, 9, digest);
        bind_blob(record_, 10, body);
        step(record_);

        sqlite3_bind_int64(audit_, 1, sqlite3_last_insert_rowid(database_));
        sqlite3_bind_int64(audit_, 2, now);
        bind(audit_, 3, tenant);
        bind(audit_, 4, operation);
        bind(audit_, 5, key);
        bind_blob(audit_, 6, short_digest);
        step(audit_);
    }

    static void bind(sqlite3_stmt* statement, int position, std::string_view text)
    {
        sqlite3_bind_text64(
            statement, position, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8
        );
    }
    static void bind_blob(sqlite3_stmt* statement, int position, std::string_view bytes)
    {
        sqlite3_bind_blob64(statement, position, bytes.data(), bytes.size(), SQLITE_STATIC);
    }
    void execute(const char* sql)
    {
        if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
            give_up(fmt::format("{}: {}", sql, sqlite3_errmsg(database_)));
        }
    }
    sqlite3_stmt* prepare(const char* sql)
    {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) != SQLITE_OK) {
            give_up(fmt::format("{}: {}", sql, sqlite3_errmsg(database_)));
        }
        return statement;
    }
    void step(sqlite3_stmt* statement)
    {
        if (sqlite3_step(statement) != SQLITE_DONE) give_up(sqlite3_errmsg(database_));
        sqlite3_reset(statement);
    }

    const TenantId tenant_id_;
    const Operation operation_;
    std::mt19937_64 random_{std::random_device{}()};
    sqlite3* database_ = nullptr;
    sqlite3_stmt* begin_ = nullptr;
    sqlite3_stmt* commit_ = nullptr;
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
