#include "modules/mailing/answers.hpp"

#include "base/json_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace umavez::mailing {
namespace {

std::string text_unless_empty(std::string_view text)
{
    return text.empty() ? "null" : to_json_text(text);
}

std::string to_json(const Counts& counts)
{
    return JsonObject{}
        .number("entries", counts.entries)
        .number("duplicates", counts.duplicates)
        .number("invalid", counts.invalid)
        .number("pending", counts.open())
        .number("sent", counts.sent)
        .number("failed", counts.failed)
        .number("unknown", counts.unknown)
        .str();
}

void add_members(JsonObject& json, const Mailing& mailing)
{
    const Message message = mailing.message.value_or(Message{});
    json.text("mailingId", mailing.uuid)
        .text("filename", mailing.filename)
        .text("status", to_text(mailing.status))
        .raw("assunto", text_unless_empty(message.assunto))
        .raw("remetente", text_unless_empty(message.remetente))
        .text("incerteza", to_text(mailing.incerteza))
        .text("contentSha256", mailing.content_sha256)
        .number("contentBytes", mailing.content_bytes)
        .number("readBytes", mailing.read_bytes)
        .number("readLines", mailing.read_lines)
        .boolean("ingested", mailing.is_ingested)
        .raw("counts", to_json(mailing.counts))
        .instant("lastAttempt", mailing.last_attempt)
        .raw("error", modules::text_or_null(mailing.error))
        .instant("createdAt", mailing.created_at)
        .instant("updatedAt", mailing.updated_at)
        .instant("completedAt", mailing.completed_at);
}

http::Problem invalid_transition(const Mailing& mailing, http::Text detail)
{
    return {
        .name = "invalid-transition",
        .detail = std::move(detail),
        .members = {http::text_member("estado", to_text(mailing.status))},
    };
}

// In which states the order is taken: "COMPLETED, FAILED".
std::string states_for(Order order)
{
    std::vector<std::string> states;
    for (std::string& word : status_words()) {
        if (after_order(*parse_status(word), order)) states.push_back(std::move(word));
    }
    return fmt::format("{}", fmt::join(states, ", "));
}

}  // namespace

std::string to_json(const Mailing& mailing)
{
    JsonObject json;
    add_members(json, mailing);
    return json.str();
}

std::string to_operator_json(const Mailing& mailing)
{
    JsonObject json;
    json.text("tenant", mailing.tenant_id.text());
    add_members(json, mailing);
    return json.str();
}

std::string to_json(const Entry& entry)
{
    return JsonObject{}
        .text("email", entry.email)
        .text("status", to_text(entry.status))
        .number("attempts", entry.attempts)
        .instant("lastAttempt", entry.last_attempt)
        .raw("externalId", modules::text_or_null(entry.external_id))
        .number("line", entry.line)
        .raw("error", modules::text_or_null(entry.error))
        .boolean("uncertain", entry.uncertain_at.has_value())
        .str();
}

std::string to_json(const InvalidLine& line)
{
    return JsonObject{}
        .number("line", line.line)
        .text("content", line.content)
        .text("reason", line.reason)
        .text("status", to_text(EntryStatus::invalid))
        .str();
}

std::string to_json(const Suppression& suppression)
{
    return JsonObject{}
        .text("email", suppression.email)
        .text("motivo", suppression.reason)
        .raw("mailingId", modules::text_or_null(suppression.mailing_uuid))
        .instant("createdAt", suppression.created_at)
        .str();
}

Response to_response(int status, const Mailing& mailing)
{
    Response response{.status = status, .body = to_json(mailing) + '\n'};
    response.headers.push_back({"Content-Type", "application/json"});
    response.entity = Entity{"mailings", mailing.uuid};
    return response;
}

Response to_response(const Suppressed& suppressed)
{
    Response response{
        .status = suppressed.is_new ? 201 : 200, .body = to_json(suppressed.suppression) + '\n'
    };
    response.headers.push_back({"Content-Type", "application/json"});
    return response;
}

http::Problem no_mailing(std::string_view uuid)
{
    return {
        .name = "not-found",
        .detail =
            {fmt::format("there is no mailing {}", uuid), fmt::format("não há mailing {}", uuid)},
    };
}

http::Problem cannot_order(const Mailing& mailing, Order order)
{
    return invalid_transition(
        mailing,
        {fmt::format(
             "{} is not possible while the mailing is {}; it is in {}",
             to_text(order),
             to_text(mailing.status),
             states_for(order)
         ),
         fmt::format(
             "{} não é possível com o mailing em {}; é em {}",
             to_text(order),
             to_text(mailing.status),
             states_for(order)
         )}
    );
}

http::Problem cannot_change_message(const Mailing& mailing)
{
    return invalid_transition(
        mailing,
        {fmt::format(
             "the message changes only while the mailing is DRAFT; it is {}",
             to_text(mailing.status)
         ),
         fmt::format(
             "a mensagem só muda enquanto o mailing é DRAFT; ele é {}", to_text(mailing.status)
         )}
    );
}

}  // namespace umavez::mailing
