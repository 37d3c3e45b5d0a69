// expect: a handler is called with (const Command&), (const Command&, HandlerContext&)
#include <umavez/mediator.hpp>

struct Pay {
    using Result = int;
};

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return std::string{"not an int"}; });
}
