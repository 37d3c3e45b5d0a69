// expect: validate() must be public and const and return a std::vector<umavez::Violation>
#include <umavez/mediator.hpp>

struct Pay {
    using Result = int;
    std::vector<umavez::Violation> validate() { return {}; }
};

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return 1; });
}
