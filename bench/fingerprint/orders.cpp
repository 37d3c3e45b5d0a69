#include "orders.hpp"

#include <fmt/format.h>

#include <random>

namespace umavez::bench {
namespace {

std::string make_item(unsigned index, std::minstd_rand& random)
{
    const auto below = [&random](unsigned bound) {
        return static_cast<unsigned>(random()) % bound;
    };
    const unsigned sku = below(99'999);
    const unsigned quantity = 1 + below(8);
    const unsigned cents = below(10'000);
    return fmt::format(
        R"({{"sku":"sku-{:05}","qty":{},"price":{}.{:02},"tax":0.2,"note":"{:n<{}}","gift":{},)"
        R"("attrs":{{"z":{},"a":null}}}})",
        sku,
        quantity,
        cents / 100,
        cents % 100,
        "",
        5 + below(20),
        index % 2 == 1,
        index
    );
}

}  // namespace

std::string make_order(std::size_t bytes)
{
    std::minstd_rand random{7};
    std::string order =
        R"({"order":"ord_1b2f00d5","currency":"EUR","amount":1999.5,"customer":{"name":"Zoë \"Q\" )"
        R"(Müller","id":"cus_0123","address":{"zip":"1010","city":"Wien","line1":"Ring 1\n2"}},)"
        R"("items":[)";
    for (unsigned i = 0; i == 0 || order.size() + 130 < bytes; ++i) {
        if (i > 0) order += ',';
        order += make_item(i, random);
    }
    return order + "]}";
}

}  // namespace umavez::bench
