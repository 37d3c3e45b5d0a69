// expect: null would mean two things in an optional of this type
#include <umavez/mediator.hpp>

struct Pay {
    using Result = std::optional<std::optional<int>>;
    std::string idempotency_key;
};
BOOST_DESCRIBE_STRUCT(Pay, (), (idempotency_key))

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return std::optional<std::optional<int>>{}; });
}
