#include "webhook/inbox/documents.hpp"

#include "base/digest.hpp"
#include "base/json_object.hpp"
#include "base/utf8.hpp"

namespace umavez::webhook {
namespace {

JsonObject begin_row(const InboxRow& row)
{
    JsonObject json;
    json.number("id", row.id)
        .text("provider", row.provider)
        .text("scheme", row.scheme)
        .text("account", row.account)
        .text("event_id", row.event_id)
        .text("type", row.type)
        .raw("tenant", row.tenant_id ? to_json_text(*row.tenant_id) : "null")
        .text("state", row.state)
        .number("run", row.run)
        .number("attempts", row.attempts)
        .instant("due_at", row.state == "pending" ? std::optional{row.due_at} : std::nullopt)
        .raw("last_error", row.last_error ? to_json_text(*row.last_error) : "null")
        .instant("received_at", row.received_at)
        .instant("changed_at", row.changed_at);
    return json;
}

void add_body(JsonObject& json, const std::string& body)
{
    if (is_utf8(body)) {
        json.text("body", body);
    } else {
        json.text("body_hex", to_hex(body));
    }
}

}  // namespace

std::string to_json(const InboxRow& row)
{
    return begin_row(row).str();
}

std::string to_json(const InboxEvent& event)
{
    JsonObject json = begin_row(event.row);
    add_body(json, event.body);
    return json.str();
}

std::string to_json(const QuarantinedRow& row)
{
    JsonObject json;
    json.number("id", row.id)
        .number("inbox_id", row.inbox_id)
        .text("provider", row.provider)
        .text("event_id", row.event_id)
        .instant("received_at", row.received_at);
    json.number("body_bytes", row.body_bytes);
    add_body(json, row.body);
    return json.str();
}

std::string to_json(const ProviderAccount& account)
{
    return JsonObject{}
        .text("provider", account.provider)
        .text("account", account.account)
        .text("tenant", account.tenant_id.text())
        .instant("created_at", account.created_at)
        .str();
}

}  // namespace umavez::webhook
