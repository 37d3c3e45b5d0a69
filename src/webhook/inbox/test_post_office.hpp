#pragma once

// PostOffice: the inbox over an engine and a database of the test's own, with its route and everything but
// the socket. Confined to the test.

#include "http/router.hpp"
#include "key_protocol/problems.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"
#include "webhook/inbox/accounts_table.hpp"
#include "webhook/inbox/inbox_worker.hpp"
#include "webhook/inbox/ingress.hpp"
#include "webhook/inbox/processor.hpp"
#include "webhook/inbox/schema.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace umavez::webhook {

inline constexpr const char* secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

class PostOffice {
public:
    static constexpr auto lease = std::chrono::minutes{10};  // nobody is taken over for being slow

    // Standard Webhooks under the name "own", with the account in the body; GitHub, whose ids are unsigned.
    PostOffice()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        place_ = std::make_unique<test::TestDatabase>(folder_);
        database = *open_database(place_->url(), {.durable = false});
        std::vector<Migration> tables{
            migrations(database->dialect()).begin(), migrations(database->dialect()).end()
        };
        tables.push_back(
            {.module = "effects",
             .version = 1,
             .sql = "CREATE TABLE effects (tenant TEXT NOT NULL, event TEXT NOT NULL)"}
        );
        const auto migrated = database->migrate(tables);
        EXPECT_TRUE(migrated) << migrated.error().detail;
        problems_.add_all(problem_kinds());
        auto schemes = make_schemes({
            {.name = "own",
             .scheme = "standard-webhooks",
             .secrets = {secret},
             .account = "/account"},
            {.name = "github", .scheme = "github", .secrets = {"hush"}},
        });
        EXPECT_TRUE(schemes) << schemes.error().detail;
        schemes_ = std::make_shared<const Schemes>(*std::move(schemes));
        router_.add(
            ingress_route(),
            ingress_handler({*database, schemes_, problems_, system_clock(), {}, {}, {}})
        );
    }
    ~PostOffice()
    {
        worker_.reset();
        engine.reset();
        database.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    PostOffice(const PostOffice&) = delete;
    PostOffice& operator=(const PostOffice&) = delete;

    // Starts the engine, and workers if there are to be threads.
    void open(EventHandler handler, const work::RetryRule& retries = {}, std::size_t threads = 4)
    {
        auto handlers = std::make_shared<EventHandlers>();
        handlers->add("standard-webhooks", "paid", std::move(handler));
        const KnownProviders known{{"own", {"standard-webhooks"}}, {"github", {"github"}}};
        engine = *open_engine(*database, {.worker_period = std::nullopt});
        processor = make_processor({
            .engine = *engine,
            .database = *database,
            .handlers = std::move(handlers),
            .providers = std::make_shared<const KnownProviders>(known),
            .retries = retries,
        });
        const auto declared = engine->declare(work::operation_of(inbox_work, {.lease = lease}));
        EXPECT_TRUE(declared) << declared.error().detail;
        const auto started = engine->start();
        EXPECT_TRUE(started) << started.error().detail;
        retries_ = retries;
        if (threads > 0) work(threads);
    }
    // Begins to work on what is there.
    void work(std::size_t threads)
    {
        const InboxOptions options{
            .threads = threads,
            .period = std::chrono::milliseconds{5},
            .tidy_period = std::chrono::milliseconds{20},
            .lease = lease,
            .retries = retries_,
            .providers = {"own", "github"},
        };
        worker_ = std::make_unique<InboxWorker>(*engine, *database, processor, options);
    }

    http::Response post(const std::string& provider, std::string body, std::vector<Header> headers)
    {
        http::Request request{.method = "POST", .path = "/webhooks/" + provider};
        request.headers = std::move(headers);
        request.body = std::move(body);
        return wait(router_.answer(std::move(request)));
    }
    // Signed now, or so many seconds away from it.
    http::Response send(
        const std::string& id, const std::string& body, std::chrono::seconds off = {}
    )
    {
        return sign_and_post("own", {.id = id}, body, off);
    }
    http::Response sign_and_post(
        const std::string& provider,
        const SignInput& input,
        const std::string& body,
        std::chrono::seconds off = {}
    )
    {
        const auto made =
            schemes_->at(provider).verifier->sign(body, input, system_clock().realtime() + off);
        EXPECT_TRUE(made) << made.error().detail;
        return post(provider, body, made->headers);
    }

    static std::string paid(const std::string& account = "acct_1", int amount = 1)
    {
        return R"({"type":"paid","account":")" + account + R"(","amount":)" +
               std::to_string(amount) + "}";
    }

    void add(const std::string& account, const std::string& tenant)
    {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto added = add_account(transaction, "own", account, *TenantId::parse(tenant));
            if (!added) return std::unexpected(added.error());
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
    }

    std::string ask(const std::string& query)
    {
        std::string text;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query("SELECT CAST((" + query + ") AS TEXT)");
            if (!rows) return std::unexpected(rows.error());
            text = rows->front().is_null(0) ? "null" : rows->front().text(0);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return text;
    }
    void await(const std::string& query, const std::string& wanted)
    {
        test::wait_until(query + " becomes " + wanted, [&] { return ask(query) == wanted; });
    }

    // Writes one row for an event.
    static EventHandler effect()
    {
        return [](Transaction& transaction, const ReceivedEvent& event) -> Result<Handled> {
            const auto done = transaction.execute(
                "INSERT INTO effects VALUES ($1, $2)",
                {event.tenant_id.text(), std::string{event.event_id}}
            );
            if (!done) return std::unexpected(done.error());
            return Applied{};
        };
    }

    std::unique_ptr<Database> database;
    std::unique_ptr<Engine> engine;
    Processor processor;

private:
    std::unique_ptr<test::TestDatabase> place_;
    std::string folder_;
    http::ProblemCatalogue problems_ = key_protocol::standard_problems();
    http::Router router_;
    std::shared_ptr<const Schemes> schemes_;
    work::RetryRule retries_;
    std::unique_ptr<InboxWorker> worker_;
};

}  // namespace umavez::webhook
