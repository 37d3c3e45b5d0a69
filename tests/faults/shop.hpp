#pragma once

// Shop: an engine on a database, with an atomic operation that inserts a row and a leased one whose effect
// the test counts. Thread-safe, as the engine is.

#include "support/patiently.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace umavez::faults {

using namespace std::chrono_literals;

inline Request request(std::string_view operation, std::string_view key)
{
    return {
        .tenant_id = *TenantId::parse("acme"),
        .operation = *Operation::parse(operation),
        .key = *Key::parse(key),
        .target = make_target({"POST", "/pedidos"}),
        .fingerprint = *fingerprint_json("{}"),
    };
}

class Shop {
public:
    // Without a policy of its own no stall of the machine is a run that takes too long.
    explicit Shop(
        const std::string& url,
        Duration lease = 30s,
        Policy atomic_policy = patient(),
        Duration store_patience = 1h
    )
    {
        auto opened = test::patiently("the database is opened", [&] {
            return open_database(url, {.connections = 8});
        });
        if (!opened) throw std::runtime_error(opened.error().detail);
        database = *std::move(opened);
        const Migration pedidos{
            "shop",
            1,
            "CREATE TABLE pedidos (id bigint GENERATED ALWAYS AS IDENTITY, item text NOT NULL)"
        };
        const auto migrated = test::patiently("the tables are made", [&] {
            return database->migrate({&pedidos, 1});
        });
        if (!migrated) throw std::runtime_error(migrated.error().detail);
        const EngineOptions options{
            .worker_period = std::nullopt, .store_patience = store_patience
        };
        auto made = test::patiently("the engine is opened", [&] {
            return open_engine(*database, options);
        });
        if (!made) throw std::runtime_error(made.error().detail);
        engine = *std::move(made);
        OperationSpec atomic{.name = "pedidos.criar", .policy = atomic_policy};
        atomic.policy.guarantee = Guarantee::atomic;
        OperationSpec leased{.name = "enviar", .policy = {.guarantee = Guarantee::leased}};
        leased.policy.lease = lease;
        leased.policy.on_abandoned = OnAbandoned::rerun;
        leased.policy.effect = RepeatedEffect::deduplicated;
        leased.policy.takeovers_max = 1'000'000;
        for (const OperationSpec& spec : {atomic, leased}) {
            if (auto done = engine->declare(spec); !done)
                throw std::runtime_error(done.error().detail);
        }
        if (auto done = engine->start(); !done) throw std::runtime_error(done.error().detail);
    }

    static Policy patient()
    {
        Policy policy;
        policy.atomic_run_limit = 1h;
        return policy;
    }

    AtomicHandler inserting(std::string item)
    {
        return [this, item = std::move(item)](Transaction& transaction) -> Result<Response> {
            ++calls;
            const auto id = transaction.insert("INSERT INTO pedidos (item) VALUES ($1)", {item});
            if (!id) return std::unexpected(id.error());
            return Response{.status = 201, .headers = {}, .body = "made " + item};
        };
    }
    std::int64_t count(const std::string& sql = "SELECT count(*) FROM pedidos")
    {
        std::int64_t rows = -1;
        const Closure counting = [&](Transaction& transaction) -> Result<void> {
            const auto found = transaction.query(sql);
            if (!found) return std::unexpected(found.error());
            rows = found->front().integer(0);
            return {};
        };
        const auto read =
            test::patiently("the rows are counted", [&] { return database->read(counting); });
        EXPECT_TRUE(read) << read.error().detail;
        return rows;
    }

    std::unique_ptr<Database> database;
    std::unique_ptr<Engine> engine;
    std::atomic<int> calls{0};
};

template <typename T>
const T& get(const Result<Outcome>& outcome)
{
    EXPECT_TRUE(outcome) << outcome.error().detail;
    if (!outcome || !std::holds_alternative<T>(*outcome)) {
        throw std::runtime_error(outcome ? std::string{to_text(*outcome)} : outcome.error().detail);
    }
    return std::get<T>(*outcome);
}

// As a client does: asks again until somebody tells. Whoever is told that the store is away, or
// that the first is still running, knows no more than before.
template <typename Ask>
Result<Outcome> until_told(Ask ask)
{
    Result<Outcome> outcome = InProgress{};
    test::wait_until("somebody tells", [&] {
        outcome = ask();
        return outcome && !std::holds_alternative<Unavailable>(*outcome) &&
               !std::holds_alternative<InProgress>(*outcome);
    });
    return outcome;
}

// Of the run itself, or of a later look at it.
inline std::string body_told(const Result<Outcome>& outcome)
{
    if (const auto* const replayed = outcome ? std::get_if<Replayed>(&*outcome) : nullptr)
        return replayed->response.body;
    return get<Executed>(outcome).response.body;
}

}  // namespace umavez::faults
