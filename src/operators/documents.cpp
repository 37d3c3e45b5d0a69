#include "operators/documents.hpp"

#include "base/json_object.hpp"
#include "operators/advice.hpp"

namespace umavez::operators {
namespace {

JsonObject begin_record(const RecordId& id, const Record& record, Instant now)
{
    JsonObject json;
    json.text("tenant", id.tenant_id.text())
        .text("operation", id.operation.text())
        .text("key", id.key.text())
        .text("status", to_text(record.status))
        .text("state", advise(&record, now).state)
        .number("attempts", record.attempts)
        .instant("created_at", record.created_at)
        .instant("updated_at", record.updated_at)
        .instant("completed_at", record.completed_at)
        .instant("lease_until", record.processing_expires_at)
        .instant("retry_at", record.retry_at)
        .instant("expires_at", record.expires_at);
    return json;
}

// Whether it has its last word: `record.final` tells so of failures alone.
bool is_final(const Record& record) noexcept
{
    return record.status == Status::succeeded || record.final;
}

std::string response_json(const std::optional<StoredResponse>& stored)
{
    if (!stored) return "null";
    return JsonObject{}
        .number("status", stored->response.status)
        .number("bytes", stored->response.body.size())
        .boolean("omitted", stored->omitted)
        .str();
}

std::string entry_json(const TimelineEntry& entry)
{
    return JsonObject{}
        .instant("at", entry.at)
        .text("event", entry.event)
        .raw("epoch", entry.epoch ? std::to_string(*entry.epoch) : "null")
        .text("detail", entry.detail)
        .str();
}

}  // namespace

std::string to_json(const RecordId& id, const Record& record, Instant now)
{
    return begin_record(id, record, now)
        .boolean("final", is_final(record))
        .text("mode", to_text(record.mode))
        .number("epoch", record.token.epoch)
        .number("takeovers", record.takeovers)
        .raw("response", response_json(record.response))
        .str();
}

std::string to_json(const RecordsPage& page)
{
    const auto one = [&page](const NamedRecord& named) {
        return to_json(named.id, named.record, page.now);
    };
    return JsonObject{}
        .raw("records", to_json_array(page.records, one))
        .raw("next", page.next.empty() ? "null" : to_json_text(page.next))
        .instant("now", page.now)
        .str();
}

std::string to_json(const StoriesPage& page)
{
    const auto one = [](const RecordId& id) {
        return JsonObject{}
            .text("tenant", id.tenant_id.text())
            .text("operation", id.operation.text())
            .text("key", id.key.text())
            .str();
    };
    return JsonObject{}
        .raw("stories", to_json_array(page.ids, one))
        .raw("next", page.next.empty() ? "null" : to_json_text(page.next))
        .str();
}

namespace {

// A run of a worker that ended says how, not what became of an effect: its row does.
Advice advise_on(const RecordId& id, const Record* record, Instant now)
{
    const bool is_run = id.tenant_id.text() == "_umavez";
    if (!is_run || record == nullptr || record->status != Status::succeeded || !record->response) {
        return advise(record, now);
    }
    return {
        "succeeded",
        "A worker's run of row " + id.key.text().substr(0, id.key.text().find('.')) +
            " came to its end: " + record->response->response.body + ".",
        "Nothing here. The row tells why, and can be driven again: umavez webhook show, umavez "
        "deliveries list."
    };
}

}  // namespace

std::string to_json(const RecordId& id, const Story& story)
{
    const Record* const record = story.record ? &*story.record : nullptr;
    const Advice advice = advise_on(id, record, story.now);
    return JsonObject{}
        .raw("record", record != nullptr ? to_json(id, *record, story.now) : "null")
        .text("state", advice.state)
        .text("meaning", advice.meaning)
        .text("next", advice.next)
        .text("effect_key", effect_key_of(id))
        .instant("now", story.now)
        .raw("timeline", to_json_array(story.timeline, entry_json))
        .str();
}

std::string to_json(const access::TokenRow& token)
{
    return JsonObject{}
        .number("id", token.id)
        .text("tenant", access::to_text(token.tenant))
        .text("role", to_text(token.role))
        .text("label", token.label)
        .text("ending", token.ending)
        .instant("created_at", token.created_at)
        .instant("expires_at", token.expires_at)
        .instant("revoked_at", token.revoked_at)
        .str();
}

std::string to_json(const SweepReport& report)
{
    return JsonObject{}
        .number("records", report.records)
        .number("audit_entries", report.audit_entries)
        .str();
}

}  // namespace umavez::operators
