// expect: this handler takes a HandlerContext as well as a Transaction; name the one it wants
#include <umavez/mediator.hpp>

struct Pay {
    using Result = int;
};

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&, auto&) { return 1; });
}
