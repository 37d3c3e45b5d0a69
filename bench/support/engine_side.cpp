#include "support/engine_side.hpp"

#include "support/callers.hpp"
#include "support/comparison.hpp"

#include <array>
#include <utility>
#include <vector>

namespace umavez::bench {
namespace {

std::array<Migration, 1> business_tables(Dialect dialect)
{
    const bool is_sqlite = dialect == Dialect::sqlite;
    return {Migration{
        .module = "bench",
        .version = 1,
        .sql = is_sqlite
                   ? "CREATE TABLE pedidos (id INTEGER PRIMARY KEY, total INTEGER NOT NULL) STRICT"
                   : "CREATE TABLE pedidos (id bigint PRIMARY KEY, total bigint NOT NULL)",
    }};
}

void expect_executed(const Result<Outcome>& outcome)
{
    if (!outcome) give_up(outcome.error().detail);
    if (!std::holds_alternative<Executed>(*outcome)) give_up("a fresh key was not executed");
}

Task<Response> answer(Lease&)
{
    co_return make_response();
}

}  // namespace

EngineSide::EngineSide(const std::string& url)
    : database_(must(open_database(url))), engine_(must(open_engine(*database_)))
{
    must(database_->migrate(business_tables(database_->dialect())));
    must(engine_->declare({.name = leased_.operation(), .policy = {.guarantee = Guarantee::leased}}));
    must(engine_->declare({.name = atomic_.operation(), .policy = {.guarantee = Guarantee::atomic}}));
    must(engine_->start());
}

double EngineSide::leased_by_tasks(std::chrono::milliseconds window)
{
    return rate_of_tasks(window, next_, [this](std::uint64_t number) -> Task<void> {
        AsyncLeasedHandler handler = answer;
        const auto outcome =
            co_await engine_->async_leased(leased_.make(number), std::move(handler));
        expect_executed(outcome);
    });
}

double EngineSide::leased_by_threads(std::chrono::milliseconds window)
{
    return rate_of_threads(window, next_, [this](std::uint64_t number) {
        expect_executed(engine_->leased(leased_.make(number), [](Lease&) {
            return make_response();
        }));
    });
}

double EngineSide::atomic_by_tasks(std::chrono::milliseconds window)
{
    return rate_of_tasks(window, next_, [this](std::uint64_t number) -> Task<void> {
        AtomicHandler handler = [number](Transaction& transaction) -> Result<Response> {
            const auto inserted = transaction.execute(
                "INSERT INTO pedidos (id, total) VALUES ($1, $2)",
                {static_cast<std::int64_t>(number), std::int64_t{1990}}
            );
            if (!inserted) return std::unexpected(inserted.error());
            return make_response();
        };
        const auto outcome =
            co_await engine_->async_atomically(atomic_.make(number), std::move(handler));
        expect_executed(outcome);
    });
}

double EngineSide::claim_p50(std::chrono::milliseconds window)
{
    using Clock = std::chrono::steady_clock;
    const auto ends_at = Clock::now() + window;
    std::vector<double> micros;
    while (Clock::now() < ends_at) {
        Request request = leased_.make(next_++);
        const auto started_at = Clock::now();
        Begun begun = must(engine_->begin(std::move(request)));
        micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - started_at).count());
        must(std::get<Lease>(begun).finish(make_response()));
    }
    return median(std::move(micros));
}

void EngineSide::leave_one_record()
{
    Begun begun = must(engine_->begin(leased_.make(next_++)));
    must(std::get<Lease>(begun).finish(make_response()));
}

double EngineSide::mean_batch()
{
    const LaneStats now = database_->lane_stats();
    const LaneStats before = std::exchange(seen_, now);
    const auto batches = static_cast<double>(now.batches - before.batches);
    return static_cast<double>(now.members - before.members) / batches;
}

}  // namespace umavez::bench
