#include "redis/engine_side.hpp"

#include "support/callers.hpp"
#include "support/comparison.hpp"

#include <utility>
#include <vector>

namespace umavez::bench {
namespace {

Task<Response> answer(Lease&)
{
    co_return make_response();
}

}  // namespace

EngineSide::EngineSide(const std::string& url) : engine_(must(open_redis_engine(url)))
{
    must(engine_->declare(
        {.name = requests_.operation(), .policy = {.guarantee = Guarantee::cached}}
    ));
    must(engine_->start());
}

double EngineSide::pairs(std::chrono::milliseconds window)
{
    return rate_of_tasks(window, next_, [this](std::uint64_t number) -> Task<void> {
        AsyncLeasedHandler handler = answer;
        const auto outcome =
            co_await engine_->async_leased(requests_.make(number), std::move(handler));
        if (!outcome) give_up(outcome.error().detail);
        if (!std::holds_alternative<Executed>(*outcome)) give_up("a fresh key was not executed");
    });
}

double EngineSide::replays(std::chrono::milliseconds window)
{
    return rate_of_tasks(window, replayed_, [this](std::uint64_t number) -> Task<void> {
        const auto begun = co_await engine_->async_begin(requests_.make(number % next_));
        if (!begun) give_up(begun.error().detail);
        const auto* const outcome = std::get_if<Outcome>(&*begun);
        if (outcome == nullptr || !std::holds_alternative<Replayed>(*outcome)) {
            give_up("a finished key was not replayed");
        }
    });
}

double EngineSide::claim_p50(std::chrono::milliseconds window)
{
    using Clock = std::chrono::steady_clock;
    const auto ends_at = Clock::now() + window;
    std::vector<double> micros;
    while (Clock::now() < ends_at) {
        Request request = requests_.make(next_++);
        const auto started_at = Clock::now();
        Begun begun = must(engine_->begin(std::move(request)));
        micros.push_back(
            std::chrono::duration<double, std::micro>(Clock::now() - started_at).count()
        );
        must(std::get<Lease>(begun).finish(make_response()));
    }
    return median(std::move(micros));
}

}  // namespace umavez::bench
