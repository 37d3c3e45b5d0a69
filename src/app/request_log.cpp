#include "app/request_log.hpp"

#include <algorithm>
#include <vector>

namespace umavez {
namespace {

bool is_replay(const http::Note& note)
{
    return note.name == "outcome" && note.value == "replayed";
}

std::vector<LogField> fields_of(const http::Answered& answered)
{
    std::vector<LogField> fields{
        {"method", answered.method},
        {"path", answered.path},
        {"status", answered.status},
        {"took_ms", std::chrono::duration<double, std::milli>(answered.took).count()},
        {"request_id", answered.request_id},
        {"peer", answered.peer},
    };
    if (!answered.trace_id.empty()) fields.emplace_back("trace_id", answered.trace_id);
    for (const http::Note& note : answered.notes) fields.emplace_back(note.name, note.value);
    return fields;
}

void count_upload(const http::Answered& answered, Metrics& metrics)
{
    if (answered.method != "POST" || answered.route != "/api/v1/mailings") return;
    metrics.count_upload(
        answered.status == 201   ? "created"
        : answered.status == 200 ? "existing"
                                 : "refused"
    );
}

}  // namespace

http::OnAnswered note_answers(Log& log, Metrics& metrics)
{
    return [&log, &metrics](const http::Answered& answered) {
        metrics.count_http_answer(answered.method, answered.route, answered.status, answered.took);
        count_upload(answered, metrics);
        if (!answered.error.empty()) {
            log.error(
                "handler_failed", {{"request_id", answered.request_id}, {"detail", answered.error}}
            );
        }
        // Probes come every few seconds and tell nothing.
        const bool is_probe = answered.path == "/healthz" || answered.path == "/readyz";
        const LogLevel level = answered.status >= 500 ? LogLevel::error
                               : is_probe             ? LogLevel::debug
                                                      : LogLevel::info;
        if (!log.writes(level)) return;
        const LogFieldsText fields{fields_of(answered)};
        log.write(level, "answered", fields);
        if (std::ranges::any_of(answered.notes, is_replay)) {
            log.write(level, "deduplicated", fields);
        }
    };
}

std::function<void(const webhook::ProcessedEvent&)> note_processed(Log& log, Metrics* metrics)
{
    return [&log, metrics](const webhook::ProcessedEvent& event) {
        if (metrics != nullptr) metrics->count_webhook_processed(event.provider, event.state);
        const bool is_dead = event.state == "dead";
        const bool is_late = event.state == "pending" || event.state == "waiting";
        const LogLevel level = is_dead   ? LogLevel::error
                               : is_late ? LogLevel::warning
                                         : LogLevel::info;
        if (!log.writes(level)) return;
        const std::vector<LogField> fields{
            {"id", event.id},
            {"provider", event.provider},
            {"event_id", event.event_id},
            {"type", event.type},
            {"state", event.state},
            {"why", event.why},
        };
        log.write(level, "webhook_processed", fields);
    };
}

}  // namespace umavez
