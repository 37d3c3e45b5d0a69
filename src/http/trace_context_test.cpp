#include "http/trace_context.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

const std::string sample = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceContext, IsReadAndPassedOnAsItCame)
{
    const auto context = find_trace_context({{"TraceParent", sample}});

    ASSERT_TRUE(context);
    EXPECT_EQ(context->traceparent, sample);
    EXPECT_EQ(context->trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(context->parent_id(), "00f067aa0ba902b7");
    EXPECT_TRUE(context->is_sampled());
}

TEST(TraceContext, OfALaterVersionTheKnownPartsAreKept)
{
    EXPECT_EQ(
        parse_traceparent("cc" + sample.substr(2) + "-what-the-future-brings")->traceparent, sample
    );
    EXPECT_EQ(parse_traceparent("cc" + sample.substr(2))->traceparent, sample);
    EXPECT_FALSE(parse_traceparent("cc" + sample.substr(2) + "x"));
}

TEST(TraceContext, WhatBreaksARuleIsIgnored)
{
    for (const std::string& broken : {
             std::string{},
             sample.substr(1),
             sample + "-00",
             sample + "0",
             "ff" + sample.substr(2),
             "0g" + sample.substr(2),
             std::string{"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"},
             std::string{"00-00000000000000000000000000000000-00f067aa0ba902b7-01"},
             std::string{"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"},
             std::string{"00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01"},
             std::string{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x"},
         }) {
        EXPECT_FALSE(parse_traceparent(broken)) << broken;
    }
    EXPECT_FALSE(find_trace_context({{"traceparent", sample}, {"traceparent", sample}}));
    EXPECT_FALSE(find_trace_context({}));
}

}  // namespace
}  // namespace umavez::http
