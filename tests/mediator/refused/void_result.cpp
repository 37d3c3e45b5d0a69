// expect: a command's Result is a value; where there is nothing to say, use std::monostate
#include <umavez/mediator.hpp>

struct Pay {
    using Result = void;
};

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) {});
}
