#include "telemetry/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>

namespace umavez {
namespace {

// A method of the client's invention must not become a label.
std::string_view to_label(std::string_view method) noexcept
{
    static constexpr std::array<std::string_view, 7> known{
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"
    };
    const auto found = std::ranges::find(known, method);
    return found == known.end() ? "other" : *found;
}

// Method (a literal), route, status. Found by views, so that counting costs no memory.
using AnswerLabels = std::tuple<std::string_view, std::string, int>;
using AnswerView = std::tuple<std::string_view, std::string_view, int>;

const prometheus::Histogram::BucketBoundaries seconds{
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
};

}  // namespace

struct Metrics::Families {
    prometheus::Counter& counter(const AnswerView& view)
    {
        {
            const std::shared_lock guard{mutex};
            const auto found = known.find(view);
            if (found != known.end()) return *found->second;
        }
        // The registry gives the same counter to everybody who asks for the same labels.
        const auto& [method, route, status] = view;
        prometheus::Counter& made = answers.Add(
            {{"method", std::string{method}},
             {"route", std::string{route}},
             {"status", std::to_string(status)}}
        );
        const std::lock_guard guard{mutex};
        known.emplace(AnswerLabels{method, route, status}, &made);
        return made;
    }

    prometheus::Registry registry;
    prometheus::Family<prometheus::Counter>& answers =
        prometheus::BuildCounter()
            .Name("umavez_http_requests_total")
            .Help("Answered requests by method, route and status")
            .Register(registry);
    prometheus::Family<prometheus::Counter>& received =
        prometheus::BuildCounter()
            .Name("umavez_webhook_received_total")
            .Help("Deliveries of configured providers by what became of them")
            .Register(registry);
    prometheus::Family<prometheus::Counter>& processed =
        prometheus::BuildCounter()
            .Name("umavez_webhook_processed_total")
            .Help("Runs of accepted events by the state they left the event in")
            .Register(registry);
    prometheus::Family<prometheus::Counter>& mails =
        prometheus::BuildCounter()
            .Name("umavez_mails_total")
            .Help("Mails that workers of this process handed over, by what is known of them")
            .Register(registry);
    prometheus::Family<prometheus::Counter>& uploads =
        prometheus::BuildCounter()
            .Name("umavez_uploads_total")
            .Help("Uploads of mailings by what became of them")
            .Register(registry);
    prometheus::Family<prometheus::Counter>& fiscal_calls =
        prometheus::BuildCounter()
            .Name("umavez_fiscal_calls_total")
            .Help("Calls of this process to authorities by what the answer meant")
            .Register(registry);
    prometheus::Histogram& took =
        prometheus::BuildHistogram()
            .Name("umavez_http_request_seconds")
            .Help("From the first byte of a request to the last of its answer")
            .Register(registry)
            .Add({}, seconds);

    // The registry's own look-up takes microseconds and a lock for all.
    std::shared_mutex mutex;
    std::map<AnswerLabels, prometheus::Counter*, std::less<>> known;  // guarded by mutex
};

Metrics::Metrics(std::string version) : families_(std::make_unique<Families>())
{
    prometheus::BuildGauge()
        .Name("umavez_build_info")
        .Help("Always 1; the version is the label")
        .Register(families_->registry)
        .Add({{"version", std::move(version)}})
        .Set(1);
    for (const char* const verdict : {"accepted", "refused", "put off", "unreachable", "unknown"}) {
        families_->mails.Add({{"verdict", verdict}});
    }
    for (const char* const outcome : {"created", "existing", "refused"}) {
        families_->uploads.Add({{"outcome", outcome}});
    }
}

Metrics::~Metrics() = default;

void Metrics::count_http_answer(
    std::string_view method, std::string_view route, int status, Duration took
)
{
    families_->counter({to_label(method), route.empty() ? "none" : route, status}).Increment();
    families_->took.Observe(std::chrono::duration<double>(took).count());
}

void Metrics::count_webhook_received(std::string_view provider, std::string_view outcome)
{
    families_->received
        .Add({{"provider", std::string{provider}}, {"outcome", std::string{outcome}}})
        .Increment();
}

void Metrics::expect_webhooks(std::string_view provider)
{
    for (const char* const outcome :
         {"accepted", "duplicate", "quarantined", "refused", "unavailable"}) {
        families_->received.Add({{"provider", std::string{provider}}, {"outcome", outcome}});
    }
    for (const char* const state : {"done", "ignored", "stale", "waiting", "dead", "pending"}) {
        families_->processed.Add({{"provider", std::string{provider}}, {"state", state}});
    }
}

void Metrics::count_webhook_processed(std::string_view provider, std::string_view state)
{
    families_->processed.Add({{"provider", std::string{provider}}, {"state", std::string{state}}}
    ).Increment();
}

void Metrics::count_mail(std::string_view verdict)
{
    families_->mails.Add({{"verdict", std::string{verdict}}}).Increment();
}

void Metrics::count_upload(std::string_view outcome)
{
    families_->uploads.Add({{"outcome", std::string{outcome}}}).Increment();
}

void Metrics::count_fiscal_call(
    std::string_view authority, std::string_view call, std::string_view word
)
{
    families_->fiscal_calls
        .Add(
            {{"authority", std::string{authority}},
             {"call", std::string{call}},
             {"word", std::string{word}}}
        )
        .Increment();
}

void Metrics::expect_fiscal_calls(
    std::string_view authority, const std::vector<std::string>& words
)
{
    for (const char* const call : {"emitir", "consultar", "cancelar", "consultar-cancelamento"}) {
        for (const std::string& word : words) {
            families_->fiscal_calls.Add(
                {{"authority", std::string{authority}}, {"call", call}, {"word", word}}
            );
        }
    }
}

std::string Metrics::text(const EngineSnapshot& snapshot) const
{
    return prometheus::TextSerializer{}.Serialize(families_->registry.Collect()) +
           to_prometheus_text(snapshot);
}

}  // namespace umavez
