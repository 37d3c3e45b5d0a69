#include "messaging/documents.hpp"

#include "base/json_object.hpp"

#include <array>
#include <utility>

namespace umavez::messaging {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> estados = {{
    {"pending", "pendente"},
    {"delivered", "entregue"},
    {"dead", "morta"},
    {"cancelled", "cancelada"},
}};

std::string text_or_null(const std::optional<std::string>& text)
{
    return text ? to_json_text(*text) : "null";
}

// Only what waits has a next time.
std::optional<Instant> next_of(const Delivery& delivery)
{
    return delivery.state == "pending" ? std::optional{delivery.due_at} : std::nullopt;
}

}  // namespace

std::string to_destino(const Destination& destination, const std::string* secret)
{
    const auto quoted = [](const std::string& type) { return to_json_text(type); };
    JsonObject json;
    json.number("id", destination.id)
        .text("url", destination.url)
        .raw(
            "eventos", destination.types.empty() ? "null" : to_json_array(destination.types, quoted)
        )
        .instant("created_at", destination.created_at);
    if (secret != nullptr) json.text("segredo", *secret);
    return json.str();
}

std::string to_entrega(const Delivery& delivery)
{
    return JsonObject{}
        .number("id", delivery.id)
        .text("mensagem_id", delivery.message_id)
        .text("agregado", delivery.aggregate)
        .text("tipo", delivery.type)
        .text("estado", to_estado(delivery.state))
        .number("tentativas", delivery.attempts)
        .instant("proximo_em", next_of(delivery))
        .raw("ultimo_erro", text_or_null(delivery.last_error))
        .instant("created_at", delivery.created_at)
        .str();
}

std::string to_delivery_json(const Delivery& delivery)
{
    return JsonObject{}
        .number("id", delivery.id)
        .text("tenant", delivery.tenant)
        .number("destination", delivery.destination_id)
        .text("url", delivery.url)
        .boolean("destination_removed", delivery.is_removed)
        .text("message_id", delivery.message_id)
        .text("aggregate", delivery.aggregate)
        .text("type", delivery.type)
        .text("state", delivery.state)
        .number("attempts", delivery.attempts)
        .instant("next_at", next_of(delivery))
        .raw("last_error", text_or_null(delivery.last_error))
        .instant("happened_at", delivery.happened_at)
        .instant("created_at", delivery.created_at)
        .instant("changed_at", delivery.changed_at)
        .str();
}

std::string_view to_estado(std::string_view state)
{
    for (const auto& [stored, shown] : estados) {
        if (stored == state) return shown;
    }
    return state;
}

std::optional<std::string> parse_estado(std::string_view estado)
{
    for (const auto& [stored, shown] : estados) {
        if (shown == estado) return std::string{stored};
    }
    return std::nullopt;
}

std::vector<std::string> estado_words()
{
    std::vector<std::string> words;
    for (const auto& [stored, shown] : estados) words.emplace_back(shown);
    return words;
}

}  // namespace umavez::messaging
