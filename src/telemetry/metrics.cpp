#include "telemetry/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>

namespace umavez {
namespace {

// A method of the client's invention must not become a label.
std::string to_label(std::string_view method)
{
    constexpr std::array<std::string_view, 7> known{
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"
    };
    return std::ranges::find(known, method) == known.end() ? "other" : std::string{method};
}

const prometheus::Histogram::BucketBoundaries seconds{
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
};

}  // namespace

struct Metrics::Families {
    prometheus::Registry registry;
    prometheus::Family<prometheus::Counter>& answers =
        prometheus::BuildCounter()
            .Name("umavez_http_requests_total")
            .Help("Answered requests by method, route and status")
            .Register(registry);
    prometheus::Histogram& took =
        prometheus::BuildHistogram()
            .Name("umavez_http_request_seconds")
            .Help("From the first byte of a request to the last of its answer")
            .Register(registry)
            .Add({}, seconds);
};

Metrics::Metrics(std::string version) : families_(std::make_unique<Families>())
{
    prometheus::BuildGauge()
        .Name("umavez_build_info")
        .Help("Always 1; the version is the label")
        .Register(families_->registry)
        .Add({{"version", std::move(version)}})
        .Set(1);
}

Metrics::~Metrics() = default;

void Metrics::count_http_answer(
    std::string_view method, std::string_view route, int status, Duration took
)
{
    families_->answers
        .Add(
            {{"method", to_label(method)},
             {"route", route.empty() ? "none" : std::string{route}},
             {"status", std::to_string(status)}}
        )
        .Increment();
    families_->took.Observe(std::chrono::duration<double>(took).count());
}

std::string Metrics::text(const EngineSnapshot& snapshot) const
{
    return prometheus::TextSerializer{}.Serialize(families_->registry.Collect()) +
           to_prometheus_text(snapshot);
}

}  // namespace umavez
