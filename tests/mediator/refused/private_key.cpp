// expect: idempotency_key must be, or return, a std::optional<std::string>
#include <umavez/mediator.hpp>

class Pay {
public:
    using Result = int;

private:
    std::optional<std::string> idempotency_key() const { return "k"; }
};

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return 1; });
}
