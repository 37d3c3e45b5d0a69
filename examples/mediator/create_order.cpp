// The key comes from the client: whoever sends the same key again gets the same order.
//
//     create_order [localhost:6379]        without an address results are kept in memory

#include <umavez/mediator.hpp>

#include <cstdio>
#include <string>

using namespace umavez;

namespace {

struct Item {
    std::string sku;
    int quantity = 0;
    Decimal price;
};
BOOST_DESCRIBE_STRUCT(Item, (), (sku, quantity, price))

struct Order {
    std::int64_t id = 0;
    std::string customer_email;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, customer_email))

struct CreateOrder {
    using Result = Order;
    std::string customer_email;
    std::vector<Item> items;
    std::optional<std::string> idempotency_key;

    std::vector<Violation> validate() const
    {
        if (items.empty()) return {{"items", "must not be empty"}};
        return {};
    }
};
BOOST_DESCRIBE_STRUCT(CreateOrder, (), (customer_email, items, idempotency_key))

void show(Mediator& mediator, const CreateOrder& command)
{
    SendReport report;
    const auto order = mediator.send(command, {.report = &report});
    const std::string outcome{to_text(report.outcome)};
    if (order) {
        std::printf("%s: order %lld\n", outcome.c_str(), static_cast<long long>(order->id));
    } else {
        std::printf("%s: %s\n", outcome.c_str(), order.error().detail.c_str());
    }
}

}  // namespace

int main(int argc, char** argv)
{
    MediatorBuilder builder{{.duration = std::chrono::hours{24}}};
    if (argc > 1) {
        builder.redis_cache(argv[1]);
    } else {
        builder.memory_cache();
    }
    builder.use(logging([](const SendLine& line) {
        std::fprintf(stderr, "%s\n", to_json_line(line).c_str());
    }));
    std::int64_t orders = 0;
    builder.handle<CreateOrder>([&orders](const CreateOrder& command) {
        return Order{++orders, command.customer_email};
    });
    const auto mediator = builder.open();
    if (!mediator) {
        std::fprintf(stderr, "create_order: %s\n", mediator.error().detail.c_str());
        return 1;
    }

    const std::vector<Item> items{{"cafe-500g", 2, *Decimal::parse("19.90")}};
    show(**mediator, {"ana@example.com", items, "pedido-42"});
    show(**mediator, {"ana@example.com", items, "pedido-42"});  // a retry
    show(**mediator, {"ana@example.com", items, "pedido-43"});  // she wants another one
    show(**mediator, {"ana@example.com", {}, "pedido-44"});
    return 0;
}
