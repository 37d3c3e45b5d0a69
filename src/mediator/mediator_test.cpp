// The parts of the mediator that need no mediator: names, keys, metrics, log lines.

#include "mediator/metrics.hpp"

#include <umavez/mediator.hpp>

#include <gtest/gtest.h>

namespace shop {

struct CreateOrder {
    using Result = int;
};
struct HTTPCall {
    using Result = int;
};
struct already_snake {
    using Result = int;
};
struct Step2Done {
    using Result = int;
};
struct Renamed {
    using Result = int;
    static constexpr std::string_view command_name = "old.name";
};

}  // namespace shop

namespace umavez {
namespace {

struct Hidden {
    using Result = int;
};

TEST(CommandName, IsTheTypesUnlessTheCommandSaysOtherwise)
{
    EXPECT_EQ(command_name_of<shop::CreateOrder>(), "create_order");
    EXPECT_EQ(command_name_of<shop::HTTPCall>(), "http_call");
    EXPECT_EQ(command_name_of<shop::already_snake>(), "already_snake");
    EXPECT_EQ(command_name_of<shop::Step2Done>(), "step2_done");
    EXPECT_EQ(command_name_of<shop::Renamed>(), "old.name");
    EXPECT_EQ(command_name_of<Hidden>(), "hidden");
}

// printf '%s' '{"command":"create_order","content":{"a":1}}' | openssl dgst -sha256 -binary |
// base64
TEST(KeyGenerator, HashesNameAndContent)
{
    const auto generator = default_key_generator();

    EXPECT_EQ(
        generator->make_key("create_order", R"({"a":1})"),
        "VS2IlU4Ou7z/8uj79qnLASYOyes7J2sz6PcHAqoqqwo="
    );
    EXPECT_NE(
        generator->make_key("create_orders", R"({"a":1})"),
        generator->make_key("create_order", R"({"a":1})")
    );
}

TEST(Metrics, AreTextThatPrometheusReads)
{
    CommandStats stats;
    stats.command = "create_order";
    stats.ended[static_cast<std::size_t>(SendOutcome::executed)] = 3;
    stats.ended[static_cast<std::size_t>(SendOutcome::hit)] = 1;
    stats.takeovers = 2;

    EXPECT_DOUBLE_EQ(stats.duplication_rate(), 0.25);
    const std::string text = detail::to_metrics_text({stats});
    for (const char* const line :
         {"# TYPE umavez_mediator_total counter\n",
          "umavez_mediator_total{command=\"create_order\",outcome=\"executed\"} 3\n",
          "umavez_mediator_total{command=\"create_order\",outcome=\"hit\"} 1\n",
          "umavez_mediator_takeovers_total{command=\"create_order\"} 2\n",
          "umavez_mediator_duplication_rate{command=\"create_order\"} 0.25\n"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line;
    }
    EXPECT_DOUBLE_EQ(CommandStats{}.duplication_rate(), 0.0);
}

TEST(SendLine, IsOneLineOfJson)
{
    const SendLine line{
        .command = "create_order",
        .tenant_id = "default",
        .record = "00ff",
        .outcome = SendOutcome::hit_after_wait,
        .took = Duration{12},
        .detail = "a\n\"b\"",
    };

    EXPECT_EQ(
        to_json_line(line),
        R"({"event":"command","command":"create_order","outcome":"hit_after_wait","tenant_id":"default",)"
        R"("record":"00ff","took_us":12,"detail":"a\n\"b\""})"
    );
}

}  // namespace
}  // namespace umavez
