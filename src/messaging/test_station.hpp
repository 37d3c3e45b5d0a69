#pragma once

// Station: a database, an engine and the routes of messaging, for tests that send events through relays to
// real receivers on loopback. Confined to the test.

#include "access/token_book.hpp"
#include "http/router.hpp"
#include "json/tree.hpp"
#include "key_protocol/problems.hpp"
#include "key_protocol/protect.hpp"
#include "messaging/outbox.hpp"
#include "messaging/relay.hpp"
#include "messaging/routes.hpp"
#include "operators/refusals.hpp"
#include "support/http_receiver.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace umavez::messaging {

using namespace std::chrono_literals;

struct Answer {
    int status = 0;
    std::vector<Header> headers;
    std::string body;

    // A member of the body: a text without its quotes, a number as it is written.
    std::string operator[](std::string_view name) const
    {
        const auto tree = JsonTree::parse(body);
        const auto value = tree ? tree->root().find(name) : std::nullopt;
        if (!value) return "absent";
        if (value->kind() == JsonKind::string) return std::string{value->string()};
        if (value->kind() == JsonKind::number) return std::string{value->number()};
        return value->kind() == JsonKind::null ? "null" : "other";
    }
    bool is_problem(std::string_view name) const
    {
        return (*this)["type"] == "/problems/" + std::string{name};
    }
};

// Quick ones, to receivers on loopback. What nobody waits for is long: nothing is repeated for being slow.
inline RelayOptions quick()
{
    RelayOptions options{.threads = 4, .period = 5ms, .lease = 10min, .stop_grace = 0s};
    options.delivery.retry = {.first = 1ms, .longest = 2ms, .attempts_max = 5};
    options.delivery.outbound.allow_private = true;
    options.delivery.connect_timeout = 5min;
    options.delivery.total_timeout = 5min;
    return options;
}

class Station : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        place_ = std::make_unique<test::TestDatabase>(folder_);
        database = *open_database(place_->url(), {.durable = false});
        const auto migrated = database->migrate(migrations(database->dialect()));
        ASSERT_TRUE(migrated) << migrated.error().detail;
        tokens_ = *access::TokenBook::open(*database, {.refresh_period = std::nullopt});
    }
    void TearDown() override
    {
        engine.reset();
        tokens_.reset();
        database.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    // The engine, and the routes over it.
    void open(const RelayOptions& options)
    {
        engine = *open_engine(*database, {.worker_period = std::nullopt});
        const auto declared = engine->declare(relay_operation(options));
        ASSERT_TRUE(declared) << declared.error().detail;
        key_protocol::Api api;
        add_routes(api, options.delivery.outbound);
        for (auto& route : operator_routes({*engine, *database, *tokens_}))
            api.add(std::move(route));
        for (const OperationSpec* const operation : api.operations()) {
            ASSERT_TRUE(engine->declare(*operation));
        }
        const auto started = engine->start();
        ASSERT_TRUE(started) << started.error().detail;
        problems_.add_all(problem_kinds());
        problems_.add_all(operators::problem_kinds());
        api.bind(router_, {*engine, *database, *tokens_, problems_, system_clock(), {}});
    }

    Answer send(
        std::string method, const std::string& target, std::string body = {}, std::string key = {}
    )
    {
        http::Request request{.method = std::move(method)};
        request.path = target.substr(0, target.find('?'));
        if (request.path.size() < target.size())
            request.query = target.substr(request.path.size() + 1);
        if (!body.empty()) request.headers.push_back({"Content-Type", "application/json"});
        if (!key.empty()) request.headers.push_back({"Idempotency-Key", std::move(key)});
        request.body = std::move(body);
        http::Response response = wait(router_.answer(std::move(request)));
        return {response.status, std::move(response.headers), std::move(response.body)};
    }

    // Its id and its secret.
    std::pair<std::int64_t, std::string> register_url(
        const std::string& url, const std::string& eventos = "null"
    )
    {
        const std::string body = R"({"url":")" + url + R"(","eventos":)" + eventos + "}";
        const Answer answer =
            send("POST", "/api/v1/destinos", body, "destino-" + std::to_string(++keys_));
        EXPECT_EQ(answer.status, 201) << answer.body;
        return {std::stoll(answer["id"]), answer["segredo"]};
    }

    static Result<void> append(
        Transaction& transaction, const std::string& aggregate, int number, const std::string& type
    )
    {
        return append_event(
            transaction,
            {.tenant_id = *TenantId::parse("default"),
             .aggregate = aggregate,
             .type = type,
             .data = R"({"n":)" + std::to_string(number) + R"(,"de":")" + aggregate + R"("})"}
        );
    }
    void happen(const std::string& aggregate, int number, const std::string& type = "fatura.paga")
    {
        const auto done = database->transact([&](Transaction& transaction) {
            return append(transaction, aggregate, number, type);
        });
        ASSERT_TRUE(done) << done.error().detail;
    }

    std::int64_t ask(const std::string& query)
    {
        std::int64_t number = -1;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query(query);
            if (!rows) return std::unexpected(rows.error());
            number = rows->empty() || rows->front().is_null(0) ? -1 : rows->front().integer(0);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return number;
    }
    std::int64_t count(const std::string& state)
    {
        return ask("SELECT count(*) FROM umavez_deliveries WHERE state = '" + state + "'");
    }
    void await(const std::string& query, std::int64_t wanted)
    {
        test::wait_until(query + " becomes " + std::to_string(wanted), [&] {
            return ask(query) == wanted;
        });
    }
    void await_deliveries(const std::string& state, std::int64_t wanted)
    {
        await("SELECT count(*) FROM umavez_deliveries WHERE state = '" + state + "'", wanted);
    }
    void sql(const std::string& statement)
    {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto changed = transaction.execute(statement);
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    }

    bool is_postgres() const { return place_->is_postgres(); }
    std::string url() const { return place_->url(); }

    std::unique_ptr<Database> database;
    std::unique_ptr<Engine> engine;

private:
    std::unique_ptr<test::TestDatabase> place_;
    std::string folder_;
    std::unique_ptr<access::TokenBook> tokens_;
    http::ProblemCatalogue problems_ = key_protocol::standard_problems();
    http::Router router_;
    int keys_ = 0;
};

// The data of an event that arrived: {"n":3,"de":"fatura/1"}.
inline int number_of(const test::Received& received)
{
    const auto tree = JsonTree::parse(received.body);
    return std::stoi(std::string{tree->root().find("data")->find("n")->number()});
}
inline std::string aggregate_of(const test::Received& received)
{
    const auto tree = JsonTree::parse(received.body);
    return std::string{tree->root().find("data")->find("de")->string()};
}

}  // namespace umavez::messaging
