// User and day are the key: one order of this kind for each customer and day.
//
// The day is a member of the command, not the clock's at the moment of sending: a retry after
// midnight is still the same order.
//
//     daily_order [localhost:6379]

#include <umavez/mediator.hpp>

#include <chrono>
#include <cstdio>
#include <string>

using namespace umavez;
using namespace std::chrono_literals;

namespace {

struct PlaceDailyOrder {
    using Result = std::int64_t;
    std::int64_t user_id = 0;
    std::chrono::year_month_day day;
    std::string menu;

    // "user:7:order:20260131"
    std::optional<std::string> idempotency_key() const
    {
        const int year = static_cast<int>(day.year());
        const unsigned month = static_cast<unsigned>(day.month());
        const unsigned of_month = static_cast<unsigned>(day.day());
        char date[32];
        std::snprintf(date, sizeof date, "%04d%02u%02u", year, month, of_month);
        return "user:" + std::to_string(user_id) + ":order:" + date;
    }
};
BOOST_DESCRIBE_STRUCT(PlaceDailyOrder, (), (user_id, day, menu))

void show(Mediator& mediator, const PlaceDailyOrder& command)
{
    SendReport report;
    const auto order = mediator.send(command, {.report = &report});
    const std::string outcome{to_text(report.outcome)};
    if (!order) {
        std::printf("%s: %s\n", outcome.c_str(), order.error().detail.c_str());
        return;
    }
    std::printf(
        "%s: order %lld under %s\n",
        outcome.c_str(),
        static_cast<long long>(*order),
        report.key.c_str()
    );
}

}  // namespace

int main(int argc, char** argv)
{
    MediatorBuilder builder;
    if (argc > 1) {
        builder.redis_cache(argv[1]);
    } else {
        builder.memory_cache();
    }
    std::int64_t orders = 0;
    builder.handle<PlaceDailyOrder>(
        [&orders](const PlaceDailyOrder&) { return ++orders; },
        {.duration = 48h, .on_mismatch = OnMismatch::reject}
    );
    const auto mediator = builder.open();
    if (!mediator) {
        std::fprintf(stderr, "daily_order: %s\n", mediator.error().detail.c_str());
        return 1;
    }

    show(**mediator, {7, 2026y / 1 / 31, "feijoada"});
    show(**mediator, {7, 2026y / 1 / 31, "feijoada"});
    show(**mediator, {7, 2026y / 1 / 31, "moqueca"});  // another dish is another content
    show(**mediator, {7, 2026y / 2 / 1, "moqueca"});
    show(**mediator, {8, 2026y / 1 / 31, "feijoada"});
    return 0;
}
