#pragma once

// The commands that the tests of the mediator send: those of a small shop.

#include "support/wait.hpp"

#include <umavez/mediator.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace umavez::orders {

using namespace std::chrono_literals;

struct Item {
    std::string sku;
    int quantity = 0;
};
BOOST_DESCRIBE_STRUCT(Item, (), (sku, quantity))

struct Order {
    std::int64_t id = 0;
    std::string email;
    friend bool operator==(const Order&, const Order&) = default;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, email))

// With a key that the client makes.
struct CreateOrder {
    using Result = Order;
    std::string email;
    std::vector<Item> items;
    std::optional<std::string> idempotency_key;
};
BOOST_DESCRIBE_STRUCT(CreateOrder, (), (email, items, idempotency_key))

// With a key of its own: one payment for each order.
struct ProcessPayment {
    using Result = std::string;
    std::string order_id;
    Decimal amount;
    std::optional<std::string> idempotency_key() const { return "payment:" + order_id; }
};
BOOST_DESCRIBE_STRUCT(ProcessPayment, (), (order_id, amount))

// Without one: it always runs.
struct Ping {
    using Result = int;
    int value = 0;
};

struct Register {
    using Result = std::monostate;
    std::string name;
    std::vector<Violation> validate() const
    {
        if (name.empty()) return {{"name", "must not be empty"}};
        return {};
    }
};

inline CreateOrder order(std::optional<std::string> key, std::string email = "ana@example.com")
{
    return {.email = std::move(email), .items = {{"cafe", 2}}, .idempotency_key = std::move(key)};
}

inline ProcessPayment payment(std::string order_id, std::string_view amount = "10.00")
{
    return {.order_id = std::move(order_id), .amount = *Decimal::parse(amount)};
}

template <typename T>
T must(Result<T> result)
{
    if (!result) throw std::runtime_error{result.error().detail};
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

inline std::unique_ptr<Mediator> must_open(MediatorBuilder& builder)
{
    return must(builder.open());
}

inline SendOutcome outcome_of(Mediator& mediator, const auto& command, SendOptions options = {})
{
    SendReport report;
    options.report = &report;
    static_cast<void>(mediator.send(command, std::move(options)));
    return report.outcome;
}

// Sent again where the claim took as long as its lease, or the store too long: nothing ran then.
template <Command C>
SendResult<C> send_patiently(Mediator& mediator, const C& command)
{
    std::optional<SendResult<C>> sent;
    test::wait_until("the command is sent", [&] {
        sent.emplace(mediator.send(command));
        return *sent || sent->error().code != SendErrc::unavailable;
    });
    return *std::move(sent);
}

inline std::uint64_t count(const Mediator& mediator, std::string_view command, SendOutcome outcome)
{
    for (const CommandStats& stats : mediator.stats()) {
        if (stats.command == command) return stats.count(outcome);
    }
    return 0;
}

}  // namespace umavez::orders
