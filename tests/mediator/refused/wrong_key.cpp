// expect: idempotency_key must be, or return, a std::optional<std::string>
#include <umavez/mediator.hpp>

struct Pay {
    using Result = int;
    int idempotency_key = 0;
};
BOOST_DESCRIBE_STRUCT(Pay, (), (idempotency_key))

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return 1; });
}
