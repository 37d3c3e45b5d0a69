// expect: this type cannot be read from JSON
#include <umavez/mediator.hpp>

struct Pay {
    using Result = std::string_view;
    std::string idempotency_key;
};
BOOST_DESCRIBE_STRUCT(Pay, (), (idempotency_key))

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return "paid"; });
}
