#pragma once

// Shop: an engine on a database, with an atomic operation that inserts a row and a leased one whose effect
// the test counts. Thread-safe, as the engine is.

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
    explicit Shop(const std::string& url, Duration lease = 30s, Policy atomic_policy = {})
    {
        auto opened = open_database(url, {.connections = 8});
        if (!opened) throw std::runtime_error(opened.error().detail);
        database = *std::move(opened);
        const Migration pedidos{
            "shop",
            1,
            "CREATE TABLE pedidos (id bigint GENERATED ALWAYS AS IDENTITY, item text NOT NULL)"
        };
        if (auto done = database->migrate({&pedidos, 1}); !done) {
            throw std::runtime_error(done.error().detail);
        }
        auto made = open_engine(*database, {.worker_period = std::nullopt});
        if (!made) throw std::runtime_error(made.error().detail);
        engine = *std::move(made);
        OperationSpec atomic{.name = "pedidos.criar", .policy = atomic_policy};
        atomic.policy.guarantee = Guarantee::atomic;
        OperationSpec leased{.name = "enviar", .policy = {.guarantee = Guarantee::leased}};
        leased.policy.lease = lease;
        leased.policy.on_abandoned = OnAbandoned::rerun;
        leased.policy.effect = RepeatedEffect::deduplicated;
        for (const OperationSpec& spec : {atomic, leased}) {
            if (auto done = engine->declare(spec); !done)
                throw std::runtime_error(done.error().detail);
        }
        if (auto done = engine->start(); !done) throw std::runtime_error(done.error().detail);
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
        const auto read = database->read([&](Transaction& transaction) -> Result<void> {
            const auto found = transaction.query(sql);
            if (!found) return std::unexpected(found.error());
            rows = found->front().integer(0);
            return {};
        });
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

}  // namespace umavez::faults
