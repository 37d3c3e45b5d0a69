// expect: this type has no JSON form
#include <umavez/mediator.hpp>

#include <map>

struct Pay {
    using Result = int;
    std::multimap<std::string, int> parts;
    std::string idempotency_key;
};
BOOST_DESCRIBE_STRUCT(Pay, (), (parts, idempotency_key))

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return 1; });
}
