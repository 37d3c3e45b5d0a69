// What the store asks of a server before it keeps anything there, and what it leaves in it.

#include "redis/opened_redis.hpp"
#include "store/redis/scripts.hpp"

#include <umavez/engine.hpp>

#include <algorithm>

namespace umavez::test {
namespace {

TEST(RedisSettings, AServerThatEvictsIsRefusedWithTheSettingAndTheCure)
{
    const RedisServer server{{"--maxmemory-policy", "allkeys-lru"}};

    const auto store = open_redis_store(patient(server.socket_url()));

    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, Errc::misconfigured);
    EXPECT_NE(store.error().detail.find("maxmemory-policy allkeys-lru"), std::string::npos);
    EXPECT_NE(store.error().detail.find("set maxmemory-policy noeviction"), std::string::npos);
}

TEST(RedisSettings, AServerThatIsNotThereIsUnavailableWithoutDelay)
{
    RedisServer server;
    const std::string url = patient(server.tcp_url());
    server.kill(SIGKILL);

    // Its limits are an hour: if it waited for one, it would not come back.
    const auto store = open_redis_store(url);

    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, Errc::store_unavailable);
}

TEST(RedisSettings, PasswordsAndUsersAreCheckedAndNeverShown)
{
    const RedisServer server{{"--requirepass", "hunter2"}};
    const std::string host = "@127.0.0.1:" + std::to_string(server.port());
    const auto authenticated = open_redis_store(patient("redis://:hunter2" + host));
    ASSERT_TRUE(authenticated) << authenticated.error().detail;

    for (const std::string& url :
         {server.tcp_url(), "redis://:hunter3" + host, "redis://ana:hunter2" + host}) {
        const auto refused = open_redis_store(patient(url));

        ASSERT_FALSE(refused) << url;
        EXPECT_EQ(refused.error().code, Errc::misconfigured) << refused.error().detail;
        EXPECT_EQ(refused.error().detail.find("hunter"), std::string::npos)
            << refused.error().detail;
    }
}

TEST(RedisSettings, AnAclUserNeedsOnlyItsOwnNames)
{
    const RedisServer server;
    server.command(
        {"ACL",
         "SETUSER",
         "ana",
         "on",
         ">s3cret",
         "~shop:*",
         "+@read",
         "+@write",
         "+@scripting",
         "+info",
         "+select",
         "+time",
         "+client|id",
         "+client|kill"}
    );
    const std::string url = "redis://ana:s3cret@127.0.0.1:" + std::to_string(server.port());
    const auto mine = open_store(url + "?prefix=shop");
    StoreDriver driver{*mine};
    const Record owned = driver.insert(id_of("a"), 1, cached_policy()).record;
    EXPECT_TRUE(driver.finish(id_of("a"), owned).done);
    EXPECT_EQ(driver.scan({}).size(), 1u);
    EXPECT_EQ(driver.sweep().size(), 0u);

    const auto others = open_redis_store(patient(url + "?prefix=other"));

    ASSERT_FALSE(others);
    EXPECT_EQ(others.error().detail.find("s3cret"), std::string::npos) << others.error().detail;
}

TEST(RedisSettings, DatabasesAndPrefixesAreApart)
{
    const RedisServer server;
    const auto first = open_store(server.tcp_url() + "/1");
    const auto second = open_store(server.tcp_url() + "/2");
    const auto third = open_store(server.tcp_url() + "/2?prefix=other");

    EXPECT_TRUE(must(try_insert(*first, id_of("a"), 1)).inserted);
    EXPECT_TRUE(must(try_insert(*second, id_of("a"), 2)).inserted);
    EXPECT_TRUE(must(try_insert(*third, id_of("a"), 3)).inserted);
    EXPECT_EQ(StoreDriver{*second}.scan({}).size(), 1u);
}

TEST(RedisSettings, NamesHoldNoTextOfAClientAndShareTheSlotOfTheirIndexes)
{
    const RedisServer server;
    const auto store = open_store(server.socket_url());
    must(try_insert(*store, id_of("segredo-do-cliente"), 1));

    const std::string names = server.command({"KEYS", "*"});

    EXPECT_EQ(names.find("segredo"), std::string::npos) << names;
    std::set<std::string> slots;
    std::istringstream lines{names};
    for (std::string name; std::getline(lines, name);) {
        if (name.find('{') == name.npos) continue;  // the sentinel
        slots.insert(name.substr(name.find('{'), name.find('}') - name.find('{')));
    }
    EXPECT_EQ(slots.size(), 1u) << names;
}

TEST(RedisSettings, TheServerLetsGoOfWhatNobodySweeps)
{
    const RedisServer server;
    const auto store = open_store(server.socket_url());
    const auto ttl = [&] {
        const std::string names = server.command({"KEYS", "umavez:{*}:r:*"});
        return std::chrono::milliseconds{
            std::stoll(server.command({"PTTL", names.substr(0, names.find('\n'))}))
        };
    };
    const Record owned = must(try_insert(*store, id_of("a"), 1)).record;
    EXPECT_GT(ttl(), 25h + 30s - 30min);  // what this case may take
    EXPECT_LE(ttl(), 25h + 30s) << "lease and retention, and an hour of grace";

    ASSERT_TRUE(must(try_finish(*store, id_of("a"), owned)).done);

    EXPECT_GT(ttl(), 25h - 30min);
    EXPECT_LE(ttl(), 25h);
}

TEST(RedisSettings, DoubtsHaveNoEndOfTheirOwn)
{
    const RedisServer server;
    const auto store = open_store(server.socket_url());
    const Record owned = must(try_insert(*store, id_of("a"), 1)).record;
    must(try_replace(*store, id_of("a"), owner_expects(owned.token), doubt_draft(owned, 1s)));

    const std::string names = server.command({"KEYS", "umavez:{*}:r:*"});

    EXPECT_EQ(server.command({"PTTL", names.substr(0, names.find('\n'))}), "-1");
}

TEST(RedisSettings, AStoryIsCutToItsLastEntries)
{
    const RedisServer server;
    const auto store = open_store(server.socket_url());
    must(try_insert(*store, id_of("a"), 1));
    for (int i = 0; i < 2'000; ++i)
        store->note(id_of("a"), {AuditEvent::replayed, std::to_string(i)});

    const auto story = must(wait(store->timeline(id_of("a"), 10'000)));

    EXPECT_GE(story.size(), 100u);
    EXPECT_LE(story.size(), 300u);
    EXPECT_EQ(story.back().detail, "1999");
}

TEST(RedisSettings, ADamagedRecordIsToldAndLeftAlone)
{
    const RedisServer server;
    const auto store = open_store(server.socket_url());
    Policy policy = cached_policy();
    policy.lease = 0s;
    policy.retention = 1us;
    must(try_insert(*store, id_of("damaged"), 1, policy));
    const std::string names = server.command({"KEYS", "umavez:{*}:r:*"});
    server.command({"SETRANGE", names.substr(0, names.find('\n')), "62", "\x7f"});
    must(try_insert(*store, id_of("sound"), 1, policy));

    EXPECT_EQ(wait(store->find(id_of("damaged"))).error().code, Errc::corrupt_record);
    const auto due = must(wait(store->due({.abandoned = {id_of("a").operation}, .in_doubt = {}})));
    EXPECT_TRUE(due.unreadable);
    EXPECT_EQ(due.records.size(), 1u);
    const auto swept = must(wait(store->sweep(100, 24h)));
    EXPECT_TRUE(swept.unreadable);
    EXPECT_EQ(swept.ids, std::vector{id_of("sound")});
    EXPECT_EQ(server.command({"EXISTS", names.substr(0, names.find('\n'))}), "1");
}

TEST(RedisSettings, ADamagedRecordIsLeftOutOfPagesAndCountsAndTold)
{
    const RedisServer server;
    const auto store = open_store(server.socket_url());
    must(try_insert(*store, id_of("damaged"), 1));
    const std::string names = server.command({"KEYS", "umavez:{*}:r:*"});
    const std::string name = names.substr(0, names.find('\n'));
    must(try_insert(*store, id_of("sound"), 1));
    // Broken in its front, which a walk reads; and behind, which only the page itself does.
    const std::string whole = server.command({"GET", name});
    for (const bool is_front : {true, false}) {
        server.command({"SET", name, whole});
        server.command({"SETRANGE", name, is_front ? "62" : "58", "\x7f"});

        const auto page = must(wait(store->scan({})));
        EXPECT_EQ(page.records.size(), 1u);
        EXPECT_EQ(page.records.front().id, id_of("sound"));
        ASSERT_TRUE(page.unreadable);
        EXPECT_NE(page.unreadable->find(name), std::string::npos) << *page.unreadable;
        const auto counts = must(wait(store->count()));
        EXPECT_EQ(counts.by_status[0].records, is_front ? 1u : 2u) << "a count reads fronts alone";
        EXPECT_EQ(counts.unreadable.has_value(), is_front);
    }
}

// Whatever is cut off: an error for its own caller, and none for those who share the call.
TEST(RedisSettings, AShortRecordIsCorruptAndHurtsNoNeighbour)
{
    const RedisServer server;
    const auto store = open_store(server.socket_url() + "?connections=1");
    const Record owned = must(try_insert(*store, id_of("short"), 1)).record;
    const std::string names = server.command({"KEYS", "umavez:{*}:r:*"});
    const std::string name = names.substr(0, names.find('\n'));
    const std::string whole = server.command({"GET", name});
    int number = 0;
    for (const std::size_t size : {1u, 2u, 34u, 57u, 58u, 60u, 61u, 62u, 63u, 150u}) {
        server.command({"SET", name, whole.substr(0, size)});
        const RecordId neighbour = id_of("sound" + std::to_string(number++));
        const Record sound = must(try_insert(*store, neighbour, 2)).record;
        const auto finish = [&](const RecordId& id, const Record& record) {
            return Replacement{
                id,
                settler_expects(record.token),
                complete_draft(record, Status::succeeded, stored(), cached_policy()),
                std::nullopt,
            };
        };

        const auto both = wait(store->heartbeat(
            {{id_of("short"), owned.token, 30s, 24h}, {neighbour, sound.token, 30s, 24h}}
        ));
        const auto claimed = try_insert(*store, id_of("short"), 3);
        store->note(id_of("short"), {AuditEvent::replayed, ""});
        const auto finished =
            wait(store->replace({finish(id_of("short"), owned), finish(neighbour, sound)}));

        ASSERT_TRUE(both) << size << ": " << both.error().detail;
        EXPECT_TRUE((*both)[1].done) << size;
        ASSERT_FALSE(claimed) << size;
        EXPECT_EQ(claimed.error().code, Errc::corrupt_record) << size;
        // From 62 on the head is whole: its owner may write it anew.
        if (size < 62) {
            ASSERT_FALSE(finished) << size;
            EXPECT_EQ(finished.error().code, Errc::corrupt_record) << finished.error().detail;
        }
        EXPECT_EQ(must(wait(store->find(neighbour))).record->status, Status::succeeded) << size;
    }
}

// A right that is missing would show behind the first write of a script, so it is asked for before.
TEST(RedisSettings, AUserWithoutARightIsRefusedAndTheRightNamed)
{
    const RedisServer server;
    const auto refusal = [&](const std::string& rights, const std::string& keys) {
        std::vector<std::string> words{"ACL", "SETUSER", "ana", "reset", "on", ">s3cret", keys};
        std::istringstream each{rights};
        for (std::string right; each >> right;) words.push_back(right);
        server.command(words);
        auto store = open_redis_store(
            patient("redis://ana:s3cret@127.0.0.1:" + std::to_string(server.port()))
        );
        return store ? std::string{"opened"} : store.error().detail;
    };
    const std::string enough = "+@read +@write +@scripting +info +select +time +client|id";

    EXPECT_EQ(refusal(enough, "~umavez:*"), "opened");
    for (const std::string right :
         {"mget", "zadd", "zrem", "append", "setrange", "pexpire", "getrange"}) {
        std::string upper = right;
        for (char& letter : upper) letter = static_cast<char>(std::toupper(letter));
        const std::string told = refusal(enough + " -" + right, "~umavez:*");
        EXPECT_NE(told.find(upper + ":"), std::string::npos) << told;
        EXPECT_NE(told.find("+@write"), std::string::npos) << told;
    }
    EXPECT_NE(refusal(enough, "~other:*").find("umavez:*"), std::string::npos);
}

// The sweep was slow, and the element's new instant has come by the time it is settled.
TEST(RedisSettings, AnElementThatWasQueuedAgainIsNotSettled)
{
    const RedisServer server;
    const auto settle = [&](const std::string& at, const std::string& rest) {
        server.command({"SET", "sentinel", "s"});
        server.command(
            {"EVAL",
             text_of(Script::settle),
             "4",
             "sentinel",
             "x",
             "l",
             "queue",
             "s",
             "200",
             "e",
             at,
             rest}
        );
        return server.command({"ZCARD", "queue"});
    };
    server.command({"ZADD", "queue", "100", "e"});

    EXPECT_EQ(settle("50", ""), "1") << "read at 50, queued again at 100, and now it is 200";
    EXPECT_EQ(settle("100", ""), "0");

    server.command({"ZADD", "queue", "100", "e"});
    EXPECT_EQ(settle("100", "what is left"), "1");
    EXPECT_EQ(server.command({"ZSCORE", "queue", "what is left"}), "100");
}

TEST(RedisSettings, LossesAreCountedAndToldByTheEngine)
{
    const RedisServer server;
    auto engine = must(open_redis_engine(patient(server.tcp_url() + "?connections=1")));
    must(engine->declare({.name = "pedidos.criar", .policy = {.guarantee = Guarantee::cached}}));
    must(engine->start());
    const auto ask = [&] {
        return engine->leased(request_of(), [](Lease&) {
            return Response{.status = 201, .headers = {}, .body = "pedido 1", .entity = {}};
        });
    };
    EXPECT_TRUE(ask());
    EXPECT_EQ(engine->store_stats().emptied, 0u);
    server.command({"FLUSHALL"});

    ask();

    EXPECT_EQ(engine->store_stats().emptied, 1u);
    EXPECT_EQ(engine->store_stats().notes_dropped, 0u);
}

TEST(RedisEngine, CachedOperationsAreSharedAndOthersRefused)
{
    const RedisServer server;
    const auto make_engine = [&](Guarantee guarantee) {
        auto engine = must(open_redis_engine(patient(server.tcp_url())));
        must(engine->declare({.name = "pedidos.criar", .policy = {.guarantee = guarantee}}));
        return engine;
    };
    const auto first = make_engine(Guarantee::cached);
    const auto second = make_engine(Guarantee::cached);
    ASSERT_TRUE(first->start());
    ASSERT_TRUE(second->start());
    int runs = 0;
    const auto ask = [&](Engine& engine) {
        Request request = request_of();
        return engine.leased(std::move(request), [&](Lease&) {
            ++runs;
            return Response{.status = 201, .headers = {}, .body = "pedido 1", .entity = {}};
        });
    };

    const auto executed = ask(*first);
    const auto replayed = ask(*second);

    ASSERT_TRUE(executed && replayed);
    EXPECT_TRUE(std::holds_alternative<Executed>(*executed));
    ASSERT_TRUE(std::holds_alternative<Replayed>(*replayed));
    EXPECT_EQ(std::get<Replayed>(*replayed).response.body, "pedido 1");
    EXPECT_EQ(runs, 1);
    for (const Guarantee guarantee : {Guarantee::leased, Guarantee::atomic}) {
        const auto started = make_engine(guarantee)->start();
        ASSERT_FALSE(started);
        EXPECT_EQ(started.error().code, Errc::misconfigured) << started.error().detail;
    }
}

}  // namespace
}  // namespace umavez::test
