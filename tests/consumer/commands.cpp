// A program with nothing but the mediator, against the installed headers.

#include <umavez/mediator.hpp>

#include <cstdio>
#include <string>

using namespace umavez;

namespace {

struct Pay {
    using Result = std::string;
    std::string order;
    Decimal amount;
    std::optional<std::string> idempotency_key() const { return "payment:" + order; }
};
BOOST_DESCRIBE_STRUCT(Pay, (), (order, amount))

}  // namespace

int main()
{
    int runs = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Pay>([&runs](const Pay& pay) {
        ++runs;
        return pay.amount.text() + " paid";
    });
    const auto mediator = builder.open();
    if (!mediator) return 1;
    for (int i = 0; i < 2; ++i) {
        const auto paid = (*mediator)->send(Pay{"42", *Decimal::parse("10.50")});
        if (!paid || *paid != "10.50 paid") return 2;
        std::printf("%s\n", paid->c_str());
    }
    return runs == 1 ? 0 : 3;
}
