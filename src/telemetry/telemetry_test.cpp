// Names and lines that dashboards and log readers depend on.

#include "telemetry/log.hpp"
#include "telemetry/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string line_of(Instant now, LogLevel level, std::string_view event, LogFields fields)
{
    return to_log_line(now, level, event, {fields.begin(), fields.size()});
}

TEST(LogLine, IsOneJsonObject)
{
    EXPECT_EQ(
        line_of(
            from_micros(1'769'860'800'000'001),
            LogLevel::info,
            "answered",
            {{"path", "/a"}, {"status", 200}, {"took", 0.5}, {"replayed", true}}
        ),
        R"({"time":"2026-01-31T12:00:00.000001Z","level":"info","event":"answered",)"
        R"("path":"/a","status":200,"took":0.5,"replayed":true})"
    );
}

TEST(LogLine, ClientsCannotForgeALineNorFloodIt)
{
    const std::string flood(100'000, 'a');

    const std::string line = line_of(
        from_micros(0), LogLevel::info, "x", {{"key", "a\n{\"event\":\"forged\"}"}, {"b", flood}}
    );

    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_THAT(line, HasSubstr(R"("a\n{\"event\":\"forged\"}")"));
    EXPECT_LT(line.size(), 1000u);
}

EngineSnapshot sample()
{
    OperationStats stats;
    stats.operation = "pedidos.criar";
    stats.executed = 3;
    stats.replayed = 1;
    stats.takeovers = 2;
    EngineSnapshot snapshot;
    snapshot.operations.push_back(stats);
    snapshot.records.push_back({Status::in_doubt, 4, std::chrono::seconds{90}});
    snapshot.records.push_back({.status = Status::processing, .overdue = std::chrono::seconds{7}});
    snapshot.records.push_back({.status = Status::succeeded});
    snapshot.lane = {.batches = 5, .members = 50, .retried_alone = 1, .batches_rerun = 3, .queue_length = 7};
    snapshot.lane.batch_sizes = {2, 0, 1, 0, 0, 2};
    return snapshot;
}

TEST(Metrics, TheEngineSpeaksPrometheus)
{
    const std::string text = to_prometheus_text(sample());

    EXPECT_THAT(text, HasSubstr("# TYPE umavez_decisions_total counter\n"));
    EXPECT_THAT(
        text,
        HasSubstr(
            R"(umavez_decisions_total{decision="executed",guarantee="atomic",operation="pedidos.criar"} 3)"
        )
    );
    EXPECT_THAT(
        text, HasSubstr(R"(umavez_takeovers_total{guarantee="atomic",operation="pedidos.criar"} 2)")
    );
    EXPECT_THAT(
        text,
        HasSubstr(R"(umavez_duplication_ratio{guarantee="atomic",operation="pedidos.criar"} 0.25)")
    );
    EXPECT_THAT(text, HasSubstr(R"(umavez_records{status="in_doubt"} 4)"));
    EXPECT_THAT(text, HasSubstr(R"(umavez_oldest_record_seconds{status="in_doubt"} 90)"));
    EXPECT_THAT(text, HasSubstr(R"(umavez_overdue_seconds{status="processing"} 7)"));
    EXPECT_THAT(text, HasSubstr(R"(umavez_overdue_seconds{status="succeeded"} 0)"));
    EXPECT_THAT(text, Not(HasSubstr(R"(umavez_overdue_seconds{status="in_doubt"})")));
    EXPECT_THAT(text, HasSubstr("umavez_lane_members_total 50\n"));
    EXPECT_THAT(text, HasSubstr("umavez_lane_batches_rerun_total 3\n"));
    EXPECT_THAT(text, HasSubstr("umavez_store_up 1\n"));
}

TEST(Metrics, BatchesAreCountedBySize)
{
    const std::string text = to_prometheus_text(sample());

    EXPECT_THAT(text, HasSubstr("# TYPE umavez_batch_size histogram\n"));
    EXPECT_THAT(text, HasSubstr("umavez_batch_size_bucket{le=\"1\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("umavez_batch_size_bucket{le=\"2\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("umavez_batch_size_bucket{le=\"4\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("umavez_batch_size_bucket{le=\"512\"} 5\n"));
    EXPECT_THAT(text, HasSubstr("umavez_batch_size_bucket{le=\"+Inf\"} 5\n"));
    EXPECT_THAT(text, HasSubstr("umavez_batch_size_sum 50\n"));
    EXPECT_THAT(text, HasSubstr("umavez_batch_size_count 5\n"));
}

TEST(Metrics, MethodsOfTheClientsInventionShareALabel)
{
    Metrics metrics{"1.2.3"};

    metrics.count_http_answer("GET", "/a/{id}", 200, std::chrono::milliseconds{2});
    metrics.count_http_answer("BREW", "", 405, std::chrono::milliseconds{2});

    const std::string text = metrics.text({});
    EXPECT_THAT(text, HasSubstr(R"(umavez_build_info{version="1.2.3"} 1)"));
    EXPECT_THAT(
        text,
        HasSubstr(R"(umavez_http_requests_total{method="GET",route="/a/{id}",status="200"} 1)")
    );
    EXPECT_THAT(
        text, HasSubstr(R"(umavez_http_requests_total{method="other",route="none",status="405"} 1)")
    );
    EXPECT_THAT(text, Not(HasSubstr("BREW")));
    EXPECT_THAT(text, HasSubstr("umavez_http_request_seconds_count 2\n"));
}

}  // namespace
}  // namespace umavez
