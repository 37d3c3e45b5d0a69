// The key means something: one payment for each order, whatever is sent. A second amount for the
// same order is answered with the first payment here; `reject` would refuse it.
//
//     process_payment [localhost:6379]

#include <umavez/mediator.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>

using namespace umavez;

namespace {

struct Payment {
    std::string order_id;
    Decimal amount;
    std::string receipt;
};
BOOST_DESCRIBE_STRUCT(Payment, (), (order_id, amount, receipt))

struct ProcessPayment {
    using Result = Payment;
    std::string order_id;
    Decimal amount;

    std::optional<std::string> idempotency_key() const { return "payment:" + order_id; }
};
BOOST_DESCRIBE_STRUCT(ProcessPayment, (), (order_id, amount))

// Stands for the provider, which is away at first.
class Gateway {
public:
    std::string charge(std::string_view effect_key, const Decimal& amount)
    {
        if (++calls_ == 1) throw std::runtime_error{"the gateway does not answer"};
        return amount.text() + " charged under " + std::string{effect_key.substr(0, 8)};
    }

private:
    int calls_ = 0;
};

void show(Mediator& mediator, const std::string& order_id, std::string_view amount)
{
    SendReport report;
    try {
        const auto payment =
            mediator.send(ProcessPayment{order_id, *Decimal::parse(amount)}, {.report = &report});
        const std::string told = payment ? payment->amount.text() : payment.error().detail;
        std::printf("%s: %s\n", std::string{to_text(report.outcome)}.c_str(), told.c_str());
    } catch (const std::runtime_error& thrown) {
        std::printf("%s: %s\n", std::string{to_text(report.outcome)}.c_str(), thrown.what());
    }
}

}  // namespace

int main(int argc, char** argv)
{
    Gateway gateway;
    MediatorBuilder builder;
    if (argc > 1) {
        builder.redis_cache(argv[1]);
    } else {
        builder.memory_cache();
    }
    builder.handle<ProcessPayment>(
        [&gateway](const ProcessPayment& command, HandlerContext& context) {
            const std::string receipt = gateway.charge(context.effect_key(), command.amount);
            return Payment{command.order_id, command.amount, receipt};
        },
        {.duration = std::chrono::hours{72}}
    );
    const auto mediator = builder.open();
    if (!mediator) {
        std::fprintf(stderr, "process_payment: %s\n", mediator.error().detail.c_str());
        return 1;
    }

    show(**mediator, "42", "10.00");  // the exception comes out, and the key is free
    show(**mediator, "42", "10.00");
    show(**mediator, "42", "10.00");
    show(**mediator, "42", "99.99");  // one payment for each order
    show(**mediator, "43", "5.00");
    std::printf("duplication rate %.2f\n", (*mediator)->stats()[0].duplication_rate());
    return 0;
}
