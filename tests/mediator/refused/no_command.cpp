// expect: constraints not satisfied
#include <umavez/mediator.hpp>

struct NoCommand {};

void send(umavez::Mediator& mediator)
{
    static_cast<void>(mediator.send(NoCommand{}));
}
