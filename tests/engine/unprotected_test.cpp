// `on_store_error = open` on SQLite: the handler runs without a record only where nobody was seen at its key.

#include "shop.hpp"

#include <sqlite3.h>

namespace umavez::shop {
namespace {

// A foreign program that holds the write lock: readers go on, no claim is written.
class WriteBlock {
public:
    explicit WriteBlock(const Shop& shop)
    {
        EXPECT_EQ(::sqlite3_open(shop.path().c_str(), &connection_), SQLITE_OK);
        // The lane may be tending its log.
        ::sqlite3_busy_timeout(connection_, static_cast<int>(test::wait_limit().count()) * 1000);
        run("BEGIN IMMEDIATE");
    }
    ~WriteBlock() { ::sqlite3_close(connection_); }
    WriteBlock(const WriteBlock&) = delete;
    WriteBlock& operator=(const WriteBlock&) = delete;

    void run(const char* sql)
    {
        EXPECT_EQ(::sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr), SQLITE_OK)
            << ::sqlite3_errmsg(connection_);
    }

private:
    sqlite3* connection_ = nullptr;
};

class Unprotected : public testing::Test {
protected:
    Unprotected()
    {
        Policy policy{.guarantee = Guarantee::leased, .lease = 1h, .run_limit = 1h};
        policy.on_store_error = OnStoreError::open;
        shop.declare({.name = "enviar", .policy = policy});
        shop.start();
    }

    Result<Outcome> send(std::string_view key)
    {
        return shop.engine->leased(request("enviar", key), [&](Lease&) {
            ++effects;
            return Response{.status = 202};
        });
    }

    Shop shop;
    int effects = 0;
};

TEST_F(Unprotected, RunsWhereNothingIsKnownOfTheKey)
{
    const WriteBlock block{shop};

    EXPECT_TRUE(get<Executed>(send("k1")).unprotected);
    EXPECT_EQ(effects, 1);
}

TEST_F(Unprotected, DoesNotRunBesideAnOwnerThatAReaderShows)
{
    const auto begun = shop.engine->begin(request("enviar", "k1"));
    ASSERT_TRUE(begun);
    const WriteBlock block{shop};

    EXPECT_EQ(get<Unavailable>(send("k1")).effect, Effect::none);
    EXPECT_EQ(effects, 0);
}

TEST_F(Unprotected, DoesNotRunOverADoubt)
{
    {
        auto begun = shop.engine->begin(request("enviar", "k1"));
        ASSERT_TRUE(std::get<Lease>(*begun).doubt("the other side hung up"));
    }
    const WriteBlock block{shop};

    EXPECT_EQ(get<Unavailable>(send("k1")).effect, Effect::none);
    EXPECT_EQ(effects, 0);
}

TEST_F(Unprotected, AFinishedKeyIsStillReplayed)
{
    get<Executed>(send("k1"));
    const WriteBlock block{shop};

    get<Replayed>(send("k1"));
    EXPECT_EQ(effects, 1);
}

TEST_F(Unprotected, ARecordThatCannotBeReadIsAnErrorAndNotARun)
{
    get<Executed>(send("k1"));
    WriteBlock block{shop};
    block.run("UPDATE umavez_records SET response_headers = x'ff'");
    block.run("COMMIT");

    const auto again = send("k1");

    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, Errc::corrupt_record);
    EXPECT_EQ(effects, 1);
}

}  // namespace
}  // namespace umavez::shop
