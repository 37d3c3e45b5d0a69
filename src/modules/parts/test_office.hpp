#pragma once

// TestOffice: the routes of a module over an engine and a database of the test's own; everything but
// the socket. Confined to the test, but send() may be called by many threads.

#include "access/token_book.hpp"
#include "http/router.hpp"
#include "json/tree.hpp"
#include "key_protocol/problems.hpp"
#include "key_protocol/protect.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace umavez::modules {

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

// What a test wants to be open. Modules add their own on top.
struct OfficeParts {
    std::function<void(key_protocol::Api&)> add_routes;
    std::vector<std::span<const Migration> (*)(Dialect)> migrations;
    std::vector<http::ProblemKind> problems;
    std::function<void(http::Router&, Database&)> add_open_routes = {};  // of those without a token
};

class TestOffice {
public:
    explicit TestOffice(OfficeParts parts)
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        place_ = std::make_unique<test::TestDatabase>(folder_);
        database = *open_database(place_->url(), {.durable = false});
        std::vector<Migration> steps;
        for (const auto migrations : parts.migrations) {
            std::ranges::copy(migrations(database->dialect()), std::back_inserter(steps));
        }
        const auto migrated = database->migrate(steps);
        EXPECT_TRUE(migrated) << migrated.error().detail;
        engine = *open_engine(*database, {.worker_period = std::nullopt});
        tokens = *access::TokenBook::open(*database, {.refresh_period = std::nullopt});
        problems_.add_all(std::move(parts.problems));
        key_protocol::Api api;
        parts.add_routes(api);
        for (const OperationSpec* const operation : api.operations()) {
            const auto declared = engine->declare(*operation);
            EXPECT_TRUE(declared) << declared.error().detail;
        }
        const auto started = engine->start();
        EXPECT_TRUE(started) << started.error().detail;
        api.bind(router_, {*engine, *database, *tokens, problems_, system_clock(), {}});
        if (parts.add_open_routes) parts.add_open_routes(router_, *database);
    }
    ~TestOffice()
    {
        engine.reset();
        tokens.reset();
        database.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    TestOffice(const TestOffice&) = delete;
    TestOffice& operator=(const TestOffice&) = delete;

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

    // For tests with a socket of their own.
    http::Router& router() noexcept { return router_; }

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

    std::unique_ptr<Database> database;
    std::unique_ptr<Engine> engine;
    std::unique_ptr<access::TokenBook> tokens;

private:
    std::unique_ptr<test::TestDatabase> place_;
    std::string folder_;
    http::ProblemCatalogue problems_ = key_protocol::standard_problems();
    http::Router router_;
};

// Sends again, as a client does: while the first of its key is at it, and while nobody can say. On a busy
// machine either may take longer than a server waits. `is_unsure` becomes true where somebody was told
// that nobody knows: only then may the one answer that is no replay have been lost.
template <typename Send>
Answer until_answered(const Send& send, std::atomic<bool>* is_unsure = nullptr)
{
    Answer answer;
    static_cast<void>(test::is_met("an answer that is not `later`", [&] {
        answer = send();
        if (answer.status == 503 && answer["effect"] != "none" && is_unsure) *is_unsure = true;
        return answer.status != 503 && !answer.is_problem("idempotency-in-progress");
    }));
    return answer;
}

// Again while others are in the way, or were for too long: nothing was kept then.
inline Result<void> transact_in_the_end(Database& database, const Closure& closure)
{
    Result<void> done = fail(Errc::busy, "not called");
    static_cast<void>(test::is_met("the transaction is run", [&] {
        done = database.transact(closure);
        return done ||
               (done.error().code != Errc::busy && done.error().code != Errc::store_unavailable);
    }));
    return done;
}

// Runs `send` on many threads that start together, and gives the answers.
template <typename Send>
std::vector<Answer> at_once(std::size_t count, const Send& send)
{
    std::vector<Answer> answers(count);
    std::atomic<bool> go = false;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < count; ++i) {
            threads.emplace_back([&, i] {
                go.wait(false);
                answers[i] = send(i);
            });
        }
        go = true;
        go.notify_all();
    }
    return answers;
}

}  // namespace umavez::modules
