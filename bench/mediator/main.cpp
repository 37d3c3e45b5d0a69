// bench_mediator: what sending a small command costs on top of what it cannot do without. One
// thread, in memory.
//
// A hit cannot do without the command's canonical JSON and its SHA-256, by which it recognises
// another content; a miss not without the engine's claim and completion; a dispatch not without the
// call.

#include "support/comparison.hpp"
#include "support/requests.hpp"

#include <umavez/mediator.hpp>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace umavez::bench {
namespace {

struct Item {
    std::string sku;
    int quantity = 0;
    Decimal price;
};
BOOST_DESCRIBE_STRUCT(Item, (), (sku, quantity, price))

struct Order {
    std::int64_t id = 0;
    std::string status;
    Decimal total;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, status, total))

struct CreateOrder {
    using Result = Order;
    std::string customer_email;
    std::vector<Item> items;
    std::string idempotency_key;
};
BOOST_DESCRIBE_STRUCT(CreateOrder, (), (customer_email, items, idempotency_key))

// What of it is compared: all but the key.
struct Content {
    std::string customer_email;
    std::vector<Item> items;
};
BOOST_DESCRIBE_STRUCT(Content, (), (customer_email, items))

struct Ping {
    using Result = int;
    int value = 0;
};

constexpr std::uint64_t calls = 100'000;

// Nanoseconds for one call of `once`, which is called with 0, 1, 2 …
template <typename Once>
double measure(const Once& once)
{
    const auto started_at = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < calls; ++i) once(i);
    const std::chrono::duration<double, std::nano> passed =
        std::chrono::steady_clock::now() - started_at;
    return passed.count() / static_cast<double>(calls);
}

CreateOrder make_command(std::string key)
{
    return {
        .customer_email = "ana@example.com",
        .items =
            {{"cafe-500g", 2, *Decimal::parse("19.90")}, {"filtro-102", 1, *Decimal::parse("7.50")}
            },
        .idempotency_key = std::move(key),
    };
}

int add_one(const Ping& ping)
{
    return ping.value + 1;
}

std::unique_ptr<Mediator> open_mediator(MediatorOptions options = {})
{
    MediatorBuilder builder{std::move(options)};
    builder.memory_cache();
    builder.handle<Ping>(add_one);
    builder.handle<CreateOrder>([](const CreateOrder& command) {
        return Order{
            static_cast<std::int64_t>(command.items.size()), "created", *Decimal::parse("47.30")
        };
    });
    return must(builder.open());
}

void send(Mediator& mediator, const CreateOrder& command)
{
    if (mediator.send(command)->id != 2) give_up("the answer is wrong");
}

// The least that recognises a command's content.
void digest(const Content& content)
{
    const auto fingerprint = fingerprint_json(*to_json(content));
    if (!fingerprint) give_up("the command has no JSON form");
}

void compare_dispatch(Table& table)
{
    const auto mediator = open_mediator({.idempotency = false, .validation = false});
    table.compare({
        .what = "dispatch without behaviours above a call, ns; 100 ns",
        .ours =
            [&] {
                volatile int sum = 0;
                const double sent = measure([&](std::uint64_t i) {
                    sum = *mediator->send(Ping{static_cast<int>(i)});
                });
                const double called =
                    measure([&](std::uint64_t i) { sum = add_one({static_cast<int>(i)}); });
                return sent - called;
            },
        .limit = [] { return 100.0; },
        .goal = 1.0,
        .kind = Goal::at_most,
    });
}

void compare_hits(Table& table)
{
    const auto mediator = open_mediator();
    const CreateOrder command = make_command("pedido-1");
    const Content content{command.customer_email, command.items};
    send(*mediator, command);
    table.show("canonical JSON and SHA-256 of the command, ns", [&] {
        return measure([&](std::uint64_t) { digest(content); });
    });
    table.compare({
        .what = "hit above canonical JSON and SHA-256, ns; 3,000 ns",
        .ours =
            [&] {
                const double hit = measure([&](std::uint64_t) { send(*mediator, command); });
                return hit - measure([&](std::uint64_t) { digest(content); });
            },
        .limit = [] { return 3'000.0; },
        .goal = 1.0,
        .kind = Goal::at_most,
    });
}

void claim_and_finish(Engine& engine, const Requests& requests, std::uint64_t number)
{
    auto begun = engine.begin(requests.make(number));
    Lease* const lease = begun ? std::get_if<Lease>(&*begun) : nullptr;
    if (lease == nullptr) give_up("a fresh key was not claimed");
    must(lease->finish(make_response()));
}

void compare_misses(Table& table)
{
    const Requests requests;
    table.compare({
        .what = "miss, ns; claim+finish of the engine, audit on",
        .ours =
            [] {
                const auto mediator = open_mediator();
                CreateOrder command = make_command({});
                return measure([&](std::uint64_t i) {
                    command.idempotency_key = make_key(i);
                    send(*mediator, command);
                });
            },
        .limit =
            [&] {
                const auto engine = must(open_memory_engine({.worker_period = std::nullopt}));
                must(engine->declare(
                    {.name = requests.operation(), .policy = {.guarantee = Guarantee::cached}}
                ));
                must(engine->start());
                return measure([&](std::uint64_t i) { claim_and_finish(*engine, requests, i); });
            },
        .goal = 2.0,
        .kind = Goal::at_most,
    });
}

}  // namespace
}  // namespace umavez::bench

int main()
{
    using namespace umavez::bench;
    Table table{9};
    compare_dispatch(table);
    compare_hits(table);
    compare_misses(table);
    return table.all_met() ? EXIT_SUCCESS : EXIT_FAILURE;
}
