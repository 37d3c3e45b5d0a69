#pragma once

// Office: the routes of Propostas over an engine and a database of the test's own; everything but
// the socket. Confined to the test.

#include "access/token_book.hpp"
#include "http/router.hpp"
#include "json/tree.hpp"
#include "key_protocol/problems.hpp"
#include "key_protocol/protect.hpp"
#include "modules/propostas/answers.hpp"
#include "modules/propostas/routes.hpp"
#include "modules/propostas/schema.hpp"
#include "support/postgres_server.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace umavez::propostas {

// A member of a JSON document as it is written there: 1500.00, "enviada", null.
inline std::string member(const std::string& document, std::string_view name)
{
    const auto tree = JsonTree::parse(document);
    if (!tree) return "not JSON: " + document;
    const auto value = tree->root().find(name);
    if (!value) return "absent";
    switch (value->kind()) {
        case JsonKind::null: return "null";
        case JsonKind::boolean: return value->boolean() ? "true" : "false";
        case JsonKind::number: return std::string{value->number()};
        case JsonKind::string: return std::string{value->string()};
        case JsonKind::array:
        case JsonKind::object: break;
    }
    return "a container";
}

struct Answer {
    int status = 0;
    std::vector<Header> headers;
    std::string body;

    std::string operator[](std::string_view name) const { return member(body, name); }
    std::string header(std::string_view name) const
    {
        return std::string{http::find_header(headers, name).value_or("")};
    }
    bool is_replay() const { return header("Idempotent-Replayed") == "true"; }
    bool is_problem(std::string_view name) const
    {
        return (*this)["type"] == "/problems/" + std::string{name};
    }
};

inline std::ostream& operator<<(std::ostream& out, const Answer& answer)
{
    return out << answer.status << ' ' << answer.body;
}

class Office {
public:
    explicit Office(const Settings& settings = {})
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        place_ = std::make_unique<test::TestDatabase>(folder_);
        database = *open_database(place_->url(), {.durable = false});
        const auto migrated = database->migrate(migrations(database->dialect()));
        EXPECT_TRUE(migrated) << migrated.error().detail;
        engine = *open_engine(*database, {.worker_period = std::nullopt});
        tokens = *access::TokenBook::open(*database, {.refresh_period = std::nullopt});
        problems_.add_all(problem_kinds());
        key_protocol::Api api;
        add_routes(api, settings);
        for (const OperationSpec* const operation : api.operations()) {
            const auto declared = engine->declare(*operation);
            EXPECT_TRUE(declared) << declared.error().detail;
        }
        const auto started = engine->start();
        EXPECT_TRUE(started) << started.error().detail;
        api.bind(router_, {*engine, *database, *tokens, problems_, system_clock(), {}});
    }
    ~Office()
    {
        engine.reset();
        tokens.reset();
        database.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    Office(const Office&) = delete;
    Office& operator=(const Office&) = delete;

    Answer send(
        std::string method,
        const std::string& target,
        std::string body = {},
        std::vector<Header> headers = {}
    )
    {
        http::Request request{.method = std::move(method)};
        request.path = target.substr(0, target.find('?'));
        if (request.path.size() < target.size())
            request.query = target.substr(request.path.size() + 1);
        request.headers = std::move(headers);
        if (!body.empty()) request.headers.push_back({"Content-Type", "application/json"});
        request.body = std::move(body);
        http::Response response = wait(router_.answer(std::move(request)));
        return {response.status, std::move(response.headers), std::move(response.body)};
    }
    Answer post(const std::string& path, const std::string& key, std::string body)
    {
        return send("POST", path, std::move(body), {{"Idempotency-Key", key}});
    }
    Answer patch(const std::string& path, const std::string& key, std::string body)
    {
        return send("PATCH", path, std::move(body), {{"Idempotency-Key", key}});
    }
    Answer get(const std::string& target) { return send("GET", target); }

    void sql(const std::string& statement)
    {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto changed = transaction.execute(statement);
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
    }
    // The first column of the first row, as text; "" where there is no row.
    std::string ask(const std::string& query)
    {
        std::string text;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query("SELECT CAST((" + query + ") AS TEXT)");
            if (!rows) return std::unexpected(rows.error());
            if (!rows->front().is_null(0)) text = rows->front().text(0);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return text;
    }

    // What the two databases say differently.
    std::string json_member(const std::string& column, const std::string& name) const
    {
        if (place_->is_postgres()) return "(" + column + "::json ->> '" + name + "')";
        return "json_extract(" + column + ", '$." + name + "')";
    }
    std::string joining() const { return place_->is_postgres() ? "string_agg" : "group_concat"; }

    // A client and a draft of 1500.00, both with id 1.
    void open_draft()
    {
        EXPECT_EQ(post("/api/v1/clientes", "client-001", joao).status, 201);
        EXPECT_EQ(
            post("/api/v1/propostas", "proposta-001", R"({"cliente_id":1,"valor":1500})").status,
            201
        );
    }

    static constexpr const char* joao =
        R"({"nome":"João Silva","email":"joao@example.com","documento":"123.456.789-00"})";

    std::unique_ptr<Database> database;
    std::unique_ptr<Engine> engine;
    std::unique_ptr<access::TokenBook> tokens;

private:
    std::unique_ptr<test::TestDatabase> place_;
    std::string folder_;
    http::ProblemCatalogue problems_ = key_protocol::standard_problems();
    http::Router router_;
};

}  // namespace umavez::propostas
