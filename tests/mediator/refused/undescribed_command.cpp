// expect: this type has no JSON form. Describe it with BOOST_DESCRIBE_STRUCT
// expect: Pay
#include <umavez/mediator.hpp>

struct Pay {
    using Result = int;
    std::string idempotency_key;
};

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return 1; });
}
