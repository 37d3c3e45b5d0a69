#include "messaging/input.hpp"

#include "base/char_set.hpp"
#include "key_protocol/body_fields.hpp"
#include "key_protocol/translated.hpp"
#include "outbound/destination_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace umavez::messaging {
namespace {

using key_protocol::BodyFields;

constexpr std::size_t types_max = 50;
constexpr std::size_t type_chars_max = 100;

constexpr CharSet type_chars{[](unsigned char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || is_among("._-", byte);
}};

std::string read_url(BodyFields& fields, const outbound::OutboundRule& rule)
{
    std::string text = fields.text("url", outbound::url_chars_max);
    if (text.empty()) return text;  // refused already
    const auto url = outbound::parse_destination_url(text);
    if (!url) {
        fields.refuse("url", key_protocol::translated(url.error().detail));
    } else if (!rule.allow_private && url->literal && !is_public(*url->literal)) {
        fields.refuse(
            "url",
            {"must be on the internet: private and local addresses are not called",
             "deve estar na internet: endereços privados e locais não são chamados"}
        );
    }
    return text;
}

std::vector<std::string> read_eventos(BodyFields& fields, const JsonTree* body)
{
    std::vector<std::string> types;
    if (!fields.has("eventos") || fields.is_null("eventos")) return types;
    const auto value = body->root().find("eventos");
    if (value->kind() != JsonKind::array || value->elements().size() == 0 ||
        value->elements().size() > types_max) {
        fields.refuse(
            "eventos",
            {fmt::format("must be a list of 1 to {} types; leave it out for all events", types_max),
             fmt::format("deve ser uma lista de 1 a {} tipos; omita para todos", types_max)}
        );
        return types;
    }
    std::size_t at = 0;
    for (const JsonValue element : value->elements()) {
        if (element.kind() != JsonKind::string || !is_event_type(element.string())) {
            fields.refuse(
                fmt::format("eventos[{}]", at),
                {"must be a type such as fatura.paga: a-z, 0-9, '.', '_', '-'",
                 "deve ser um tipo como fatura.paga: a-z, 0-9, '.', '_', '-'"}
            );
        } else if (std::ranges::find(types, element.string()) == types.end()) {
            types.emplace_back(element.string());
        }
        ++at;
    }
    return types;
}

}  // namespace

std::expected<NovoDestino, http::Problem> read_novo_destino(
    const JsonTree* body, const outbound::OutboundRule& rule, http::Language language
)
{
    BodyFields fields{body, {"url", "eventos"}};
    NovoDestino novo;
    novo.url = read_url(fields, rule);
    novo.eventos = read_eventos(fields, body);
    if (auto problem = fields.problem(language)) return std::unexpected(*std::move(problem));
    return novo;
}

bool is_event_type(std::string_view text) noexcept
{
    return !text.empty() && text.size() <= type_chars_max && type_chars.has_all(text);
}

}  // namespace umavez::messaging
