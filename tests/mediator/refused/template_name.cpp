// expect: a command's name is 1 to 100 characters
#include <umavez/mediator.hpp>

template <typename T>
struct Pay {
    using Result = int;
};

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay<int>>([](const Pay<int>&) { return 1; });
}
