// A PostgreSQL pair with synchronous replication: the primary is killed under load and the standby promoted.
// What was acknowledged is there, and nothing is there twice.

#include "faults/shop.hpp"
#include "support/postgres_server.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace umavez::faults {
namespace {

// What callers were told, by key.
class Told {
public:
    void acknowledge(const std::string& key, const Response& response)
    {
        const std::lock_guard guard{mutex_};
        const auto [place, is_first] = bodies_.emplace(key, response.body);
        EXPECT_TRUE(is_first || place->second == response.body) << key;
    }
    std::map<std::string, std::string> all() const
    {
        const std::lock_guard guard{mutex_};
        return bodies_;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string> bodies_;
};

// The response, if there is one.
const Response* response_of(const Result<Outcome>& outcome)
{
    if (!outcome) return nullptr;
    if (const auto* const executed = std::get_if<Executed>(&*outcome)) return &executed->response;
    if (const auto* const replayed = std::get_if<Replayed>(&*outcome)) return &replayed->response;
    return nullptr;
}

// Clients that ask for each of their keys until somebody answers.
class Load {
public:
    static constexpr int callers = 8;  // half of them atomic
    static constexpr int keys = 40;    // each

    explicit Load(Shop& shop) : shop_(shop)
    {
        for (int caller = 0; caller < callers; ++caller) {
            threads_.emplace_back([this, caller] { call(caller); });
        }
    }
    ~Load() { is_over_ = true; }  // even if the pair does not come back

    void wait_until_acknowledged(int count)
    {
        test::wait_until("answers come", [&] { return done >= count; });
    }
    void join()
    {
        test::wait_until("everybody is answered", [&] { return done >= callers * keys; });
        threads_.clear();
    }

    std::atomic<int> done{0};
    std::atomic<int> unknown{0};
    Told atomic;
    Told leased;

private:
    void call(int caller)
    {
        const bool is_atomic = caller % 2 == 0;
        for (int i = 0; i < keys; ++i) {
            const std::string key = fmt::format("{}-{}", caller, i);
            while (!is_over_) {
                const auto outcome = is_atomic ? insert(key) : send(key);
                if (const Response* const response = response_of(outcome)) {
                    (is_atomic ? atomic : leased).acknowledge(key, *response);
                    break;
                }
                if (!outcome) continue;
                const auto* const unavailable = std::get_if<Unavailable>(&*outcome);
                if (unavailable != nullptr && unavailable->effect == Effect::unknown) ++unknown;
            }
            ++done;
        }
    }
    Result<Outcome> insert(const std::string& key)
    {
        return shop_.engine->atomically(request("pedidos.criar", key), shop_.inserting(key));
    }
    Result<Outcome> send(const std::string& key)
    {
        return shop_.engine->leased(request("enviar", key), [&](Lease&) {
            return Response{.status = 202, .headers = {}, .body = fmt::format("{}", ++sent_)};
        });
    }

    Shop& shop_;
    std::atomic<int> sent_{0};
    std::atomic<bool> is_over_{false};
    std::vector<std::jthread> threads_;
};

std::string pair_url(const test::PostgresServer& first, const test::PostgresServer& second)
{
    return fmt::format(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres?target_session_attrs=read-write",
        first.port(),
        second.port()
    );
}

TEST(PostgresFailover, PromotedStandbyHoldsWhatWasAcknowledgedAndNothingTwice)
{
    test::PostgresServer primary{{.durable = true, .listens = true}};
    const test::PostgresServer standby{{.durable = true, .listens = true, .follows = &primary}};
    primary.wait_for_standby();
    Shop shop{pair_url(primary, standby), 2s};
    Load load{shop};

    load.wait_until_acknowledged(Load::callers * Load::keys / 4);
    primary.kill();
    standby.promote();
    load.join();

    const auto inserted = load.atomic.all();
    const auto sent = load.leased.all();
    EXPECT_EQ(inserted.size(), static_cast<std::size_t>(Load::callers / 2 * Load::keys));
    EXPECT_EQ(sent.size(), inserted.size());
    RecordProperty("told_unknown", load.unknown);
    // Another program, which knows the new primary alone.
    Shop reopened{standby.url(), 2s};
    EXPECT_EQ(reopened.count(), static_cast<std::int64_t>(inserted.size()));
    EXPECT_EQ(
        reopened.count("SELECT count(DISTINCT item) FROM pedidos"),
        static_cast<std::int64_t>(inserted.size())
    );
    for (const auto& [key, body] : inserted) {
        const auto again = until_told([&] {
            return reopened.engine->atomically(
                request("pedidos.criar", key), reopened.inserting(key)
            );
        });
        EXPECT_EQ(get<Replayed>(again).response.body, body) << key;
    }
    for (const auto& [key, body] : sent) {
        const auto again = until_told([&] {
            return reopened.engine->leased(request("enviar", key), [](Lease&) {
                return Response{};
            });
        });
        EXPECT_EQ(get<Replayed>(again).response.body, body) << key;
    }
    EXPECT_EQ(reopened.calls, 0);
}

}  // namespace
}  // namespace umavez::faults
