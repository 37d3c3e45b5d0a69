// expect: this type has no JSON form. Describe it with BOOST_DESCRIBE_STRUCT
// expect: Socket
#include <umavez/mediator.hpp>

struct Socket {
    int descriptor = -1;
};
struct Pay {
    using Result = int;
    Socket socket;
    std::string idempotency_key;
};
BOOST_DESCRIBE_STRUCT(Pay, (), (socket, idempotency_key))

void handle(umavez::MediatorBuilder& builder)
{
    builder.handle<Pay>([](const Pay&) { return 1; });
}
