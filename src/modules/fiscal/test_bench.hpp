#pragma once

// Bench: a database with the tables of the module, an authority with a ledger, and processes over both.
// Doubts are looked into soon, so that they are over within a test; leases are long, so that nobody loses
// one by being slow. Where a time has to be over, it is let pass. Confined to the test, but the processes'
// functions may be called by many threads.

#include "base/digest.hpp"
#include "modules/fiscal/cancellation.hpp"
#include "modules/fiscal/emission.hpp"
#include "modules/fiscal/fiscal_worker.hpp"
#include "modules/fiscal/module.hpp"
#include "modules/fiscal/schema.hpp"
#include "modules/fiscal/test_authority.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace umavez::fiscal {

using namespace std::chrono_literals;

inline const TenantId tenant = *TenantId::parse("default");
inline constexpr const char* cnpj = "00574753000100";

inline Settings quick_settings()
{
    Settings settings;
    settings.emit_limit = 200ms;
    settings.consult_limit = 200ms;
    settings.cancel_limit = 200ms;
    settings.void_limit = 200ms;
    settings.retry = {.attempts = 3, .first = 2ms, .longest = 10ms};
    settings.guard = {.rule = {.per_minute = 0}, .block = 1h};
    settings.settle = 20ms;
    settings.reconcile_longest = 60ms;
    settings.lease = 5min;
    return settings;
}

// What an XML of the tests says of itself: "<dps n='17'>…".
inline Identidade identidade_of(std::int64_t numero)
{
    return {
        .tipo = Tipo::nfse_nacional,
        .ambiente = Ambiente::homologacao,
        .emitente = cnpj,
        .serie = "1",
        .numero = numero,
        .id_idempotencia = "nfse-nacional:2:" + std::to_string(numero),
        .id_autoridade = "DPS" + std::to_string(numero),
    };
}
inline Result<Identidade> read_test_xml(std::string_view xml, std::optional<Ambiente> = {})
{
    constexpr std::string_view start = "<dps n='";
    if (!xml.starts_with(start)) return fail(Errc::invalid_argument, "the root is not dps");
    return identidade_of(std::stoll(std::string{xml.substr(start.size())}));
}
inline std::string test_xml(std::int64_t numero, const std::string& content = "10.00")
{
    return "<dps n='" + std::to_string(numero) + "'>" + content + "</dps>";
}
inline Nova nova_of(std::int64_t numero, const std::string& content = "10.00")
{
    return {.identidade = identidade_of(numero), .xml = test_xml(numero, content), .key = {}};
}

// A database as a process reaches it: until it dies, and with answers that get lost.
class MortalDatabase final : public Database {
public:
    enum class Fate : std::uint8_t { answered, lost_before, lost_after, dies_before, dies_after };
    using Fates = std::function<Fate(int call)>;
    MortalDatabase(Database& database, Fates fates) : database_(database), fates_(std::move(fates))
    {
    }

    Task<Result<void>> async_transact(Closure closure) override
    {
        return answer(transact_now(std::move(closure)));
    }
    Task<Result<void>> async_read(Closure closure) override
    {
        if (is_dead) return answer(fail(Errc::corrupt_record, "dead"));
        return database_.async_read(std::move(closure));
    }
    Result<void> migrate(std::span<const Migration> steps) override
    {
        return database_.migrate(steps);
    }
    Result<std::vector<MigrationState>> migration_state(std::span<const Migration> steps) override
    {
        return database_.migration_state(steps);
    }
    Dialect dialect() const noexcept override { return database_.dialect(); }
    const std::string& url() const noexcept override { return database_.url(); }
    DatabaseHealth health() override { return database_.health(); }
    LaneStats lane_stats() const override { return database_.lane_stats(); }
    Result<void> backup(const std::string& path, std::stop_token stop) override
    {
        return database_.backup(path, stop);
    }
    bool step() override { return database_.step(); }

    int calls = 0;
    bool is_dead = false;

private:
    static Task<Result<void>> answer(Result<void> result) { co_return result; }

    // A dead process is not told anything that it would try again.
    Result<void> transact_now(Closure closure)
    {
        if (is_dead) return fail(Errc::corrupt_record, "dead");
        const Fate fate = fates_(++calls);
        if (fate == Fate::dies_before) {
            is_dead = true;
            return fail(Errc::corrupt_record, "dead");
        }
        if (fate == Fate::lost_before) return fail(Errc::store_unknown, "no answer");
        const auto done = database_.transact(std::move(closure));
        if (fate == Fate::dies_after) {
            is_dead = true;
            return fail(Errc::corrupt_record, "dead");
        }
        if (fate == Fate::lost_after) return fail(Errc::store_unknown, "no answer");
        return done;
    }

    Database& database_;
    const Fates fates_;
};

class Bench : public ::testing::Test {
protected:
    // An engine and a module, as a program has them. The module's database may be another than the engine's.
    struct Process {
        Process(Bench& bench, Settings settings, Database* seen = nullptr)
            : engine(*open_engine(*bench.database, {.worker_period = std::nullopt})),
              module({
                  .engine = *engine,
                  .database = seen != nullptr ? *seen : *bench.database,
                  .tipos = {{Tipo::nfse_nacional, {&bench.authority, read_test_xml}}},
                  .issuers = {{cnpj, tenant}},
                  .settings = settings,
                  .on_event = [&bench](const FiscalEvent& event) { bench.note(event); },
              })
        {
            for (OperationSpec& spec : operations(module)) {
                const auto declared = engine->declare(std::move(spec));
                EXPECT_TRUE(declared) << declared.error().detail;
            }
            const auto started = engine->start();
            EXPECT_TRUE(started) << started.error().detail;
        }
        ~Process() { engine->stop(); }

        std::unique_ptr<Engine> engine;
        Module module;
    };

    Bench()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        place_ = std::make_unique<test::TestDatabase>(folder_);
        database = *open_database(place_->url(), {.durable = false});
        const auto migrated = database->migrate(migrations(database->dialect()));
        EXPECT_TRUE(migrated) << migrated.error().detail;
        settings = quick_settings();
    }
    ~Bench() override
    {
        processes_.clear();
        database.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    Process& start()
    {
        return *processes_.emplace_back(std::make_unique<Process>(*this, settings));
    }
    Process& start(Database& seen)
    {
        return *processes_.emplace_back(std::make_unique<Process>(*this, settings, &seen));
    }

    void stop_last() { processes_.pop_back(); }

    // As if leases that nobody keeps were over.
    void end_leases()
    {
        const std::string hour = std::to_string(Duration{1h}.count());
        sql("UPDATE umavez_records SET processing_expires_at = processing_expires_at - " + hour);
        sql("UPDATE documentos_fiscais SET conciliar_em = conciliar_em - " + hour);
    }
    // As if an hour had passed: also what was sent cannot be under way any more, and may be asked about.
    void let_an_hour_pass()
    {
        const std::string hour = std::to_string(Duration{1h}.count());
        end_leases();
        sql("UPDATE umavez_records SET retry_at = retry_at - " + hour);
        sql("UPDATE documentos_fiscais SET enviado_ate = enviado_ate - " + hour);
    }
    void sql(const std::string& statement)
    {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto changed = transaction.execute(statement);
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
    }

    Documento row(std::int64_t numero)
    {
        const auto seen = look(*database, tenant, identidade_of(numero).id_idempotencia);
        EXPECT_TRUE(seen && seen->documento) << numero;
        return *seen->documento;
    }
    bool has_row(std::int64_t numero)
    {
        const auto seen = look(*database, tenant, identidade_of(numero).id_idempotencia);
        return seen && seen->documento;
    }
    Estado estado(std::int64_t numero) { return row(numero).estado; }
    std::int64_t count(const std::string& sql)
    {
        std::int64_t found = -1;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query(sql);
            if (!rows) return std::unexpected(rows.error());
            found = rows->front().integer(0);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return found;
    }

    static Result<Driven> emit(
        Process& process, std::int64_t numero, const std::string& content = "10.00"
    )
    {
        const Nova nova = nova_of(numero, content);
        return fiscal::emit(process.module, tenant, nova.identidade.id_idempotencia, &nova);
    }
    Result<Driven> cancel(Process& process, std::int64_t numero)
    {
        const std::string why = "pedido do cliente, em duplicidade";
        return fiscal::cancel(process.module, tenant, identidade_of(numero).id_idempotencia, &why);
    }
    static How how(const Result<Driven>& driven)
    {
        EXPECT_TRUE(driven) << driven.error().detail;
        EXPECT_TRUE(driven->ended) << to_text(driven->outcome);
        return driven->ended ? driven->ended->how : How::trouble;
    }

    // Drives what is due, as a worker does, until it is so.
    void converge_until(std::string_view what, const std::function<bool()>& is_so, Process& process)
    {
        FiscalWorker worker{process.module, {.threads = 2, .period = 5ms, .stop_grace = 1s}};
        Duration looked = system_clock().boottime();
        test::wait_until(what, [&] {
            if (is_so()) return true;
            const Duration now = system_clock().boottime();
            if (now - looked < 500ms) return false;
            looked = now;
            // Who found a key in use comes back when its lease would be over. It is given back sooner.
            sql("UPDATE documentos_fiscais SET conciliar_em = conciliar_em - " +
                std::to_string(settings.lease.count()));
            return false;
        });
        worker.stop();
    }

    // Until nothing is left.
    void converge(Process& process)
    {
        converge_until(
            "no document is left to look into",
            [this] {
                return count(
                           "SELECT count(*) FROM documentos_fiscais "
                           "WHERE conciliar_em IS NOT NULL"
                       ) == 0;
            },
            process
        );
    }

    // What must be so whatever happened: nothing was authorised or cancelled twice, and the row says what the
    // ledger says.
    void expect_agreement(std::int64_t numero)
    {
        const auto there = authority.entry("DPS" + std::to_string(numero));
        EXPECT_LE(there.authorisations, 1) << numero;
        EXPECT_LE(there.cancellations, 1) << numero;
        EXPECT_LE(authority.together_most, 1);
        if (!has_row(numero)) {
            EXPECT_EQ(there.authorisations, 0) << numero;
            return;
        }
        const Documento here = row(numero);
        if (there.is_cancelled) {
            EXPECT_EQ(here.estado, Estado::cancelado) << numero;
        } else if (there.authorisations > 0) {
            EXPECT_EQ(here.estado, Estado::autorizado) << numero << ' ' << to_text(here.estado);
            EXPECT_EQ(here.chave_acesso, there.chave);
            EXPECT_EQ(here.xml_sha256, to_hex(sha256(there.xml)));
        } else {
            EXPECT_TRUE(
                here.estado == Estado::reservado || here.estado == Estado::rejeitado ||
                here.estado == Estado::denegado
            ) << numero
              << ' ' << to_text(here.estado);
        }
    }

    void note(const FiscalEvent& event)
    {
        const std::lock_guard guard{events_mutex_};
        if (const auto* const alert = std::get_if<Alert>(&event)) alerts.push_back(alert->why);
    }

    std::unique_ptr<Database> database;
    TestAuthority authority;
    Settings settings;
    std::vector<std::string> alerts;

private:
    std::string folder_;
    std::unique_ptr<test::TestDatabase> place_;
    std::mutex events_mutex_;
    std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace umavez::fiscal
