// expect: two alternatives of this std::variant have the same name in JSON
#include <umavez/mediator.hpp>

struct Pay {
    using Result = std::variant<int, long>;
    std::string idempotency_key;
};
BOOST_DESCRIBE_STRUCT(Pay, (), (idempotency_key))

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return std::variant<int, long>{1}; });
}
