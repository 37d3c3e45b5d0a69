// One scheme serves all threads of the program.

#include "webhook/examples_test.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace umavez::webhook {
namespace {

TEST(SharedScheme, JudgesAlikeInEveryThread)
{
    constexpr int threads = 4;
    constexpr int rounds = 50;
    for (const Example& example : examples()) {
        const auto scheme = make(example.provider);
        const SignedRequest right = sign(*scheme, example.body, example.input);
        SignedRequest wrong = right;
        for (Header& header : wrong.headers) header.value += "0";
        std::latch start{threads};
        std::atomic<int> accepted = 0;
        std::atomic<int> refused = 0;
        std::vector<std::jthread> crew;
        for (int i = 0; i < threads; ++i) {
            crew.emplace_back([&] {
                start.arrive_and_wait();
                for (int round = 0; round < rounds; ++round) {
                    accepted += scheme->verify(delivery_of(example.body, right), noon).has_value();
                    refused += !scheme->verify(delivery_of(example.body, wrong), noon);
                    accepted += scheme->sign(example.body, example.input, noon).has_value();
                }
            });
        }
        crew.clear();

        EXPECT_EQ(accepted, 2 * threads * rounds) << example.label;
        EXPECT_EQ(refused, threads * rounds) << example.label;
    }
}

}  // namespace
}  // namespace umavez::webhook
