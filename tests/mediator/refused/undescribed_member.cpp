// expect: struct has a member that its BOOST_DESCRIBE_STRUCT leaves out
#include <umavez/mediator.hpp>

struct Pay {
    using Result = int;
    std::string order;
    int amount = 0;
    std::string idempotency_key;
};
BOOST_DESCRIBE_STRUCT(Pay, (), (order, idempotency_key))

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return 1; });
}
