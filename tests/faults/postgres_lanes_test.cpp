// A row that somebody holds, and the calls of others that share its way.

#include "conformance/store_driver.hpp"
#include "store/postgres/postgres_store.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <libpq-fe.h>
#include <memory>
#include <thread>
#include <vector>

namespace umavez::test {
namespace {

using namespace std::chrono_literals;

// A transaction that stays open.
class OpenTransaction {
public:
    OpenTransaction(const std::string& url, const std::string& sql)
        : connection_(PQconnectdb(url.c_str()), PQfinish)
    {
        run("BEGIN");
        run(sql);
    }
    ~OpenTransaction() { run("ROLLBACK"); }
    OpenTransaction(const OpenTransaction&) = delete;
    OpenTransaction& operator=(const OpenTransaction&) = delete;

private:
    void run(const std::string& sql)
    {
        const std::unique_ptr<PGresult, decltype(&PQclear)> result{
            PQexec(connection_.get(), sql.c_str()), PQclear
        };
        const ExecStatusType status = PQresultStatus(result.get());
        EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) << sql;
    }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

Result<Replaced> finish(Store& store, const RecordId& id, const Record& owned)
{
    Change change{
        settler_expects(owned.token),
        complete_draft(owned, Status::succeeded, stored(), leased_policy()),
        std::nullopt
    };
    Replaced replaced;
    if (auto done = wait(store.replace_one(id, change, replaced)); !done) {
        return std::unexpected(done.error());
    }
    return replaced;
}

bool somebody_waits_for_a_lock(PostgresServer& server)
{
    return server.run("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") !=
           "0";
}

TEST(PostgresLanes, ACompletionThatIsBlockedDoesNotHoldUpTheOthers)
{
    PostgresServer server;
    const auto database = must(open_database(server.url(), {.durable = false}));
    const auto store = must(open_postgres_store(*database));
    StoreDriver driver{*store};
    const RecordId held = id_of("held");
    const Record of_held = driver.insert(held, 1).record;
    const OpenTransaction holder{
        server.url(), "SELECT 1 FROM umavez_records WHERE key = 'held' FOR UPDATE"
    };
    // Blocked for a second at a time; on a machine that stalls for as long the first tries may prove
    // nothing. Thirty of the others have time enough, unless each waits for its turn.
    int tries = 0;
    wait_until("thirty completions overtake one that waits for a lock", [&] {
        ++tries;
        std::vector<RecordId> others;
        std::vector<Record> owned;
        for (int i = 0; i < 30; ++i) {
            others.push_back(id_of(fmt::format("other-{}-{}", tries, i)));
            owned.push_back(driver.insert(others.back(), 2).record);
        }
        std::atomic<bool> is_blocked{true};
        std::jthread blocked{[&] {
            EXPECT_FALSE(finish(*store, held, of_held));
            is_blocked = false;
        }};
        if (!is_met("it waits for the lock", [&] {
                return !is_blocked || somebody_waits_for_a_lock(server);
            }))
            return true;

        for (std::size_t i = 0; i < others.size(); ++i) {
            EXPECT_TRUE(must(finish(*store, others[i], owned[i])).done);
        }
        return is_blocked.load();
    });
}

}  // namespace
}  // namespace umavez::test
