#include "operators/body_fields.hpp"

#include "key_protocol/body_fields.hpp"
#include "operators/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace umavez::operators {
namespace {

std::optional<JsonValue> find(const key_protocol::Exchange& exchange, std::string_view name)
{
    return exchange.body == nullptr ? std::nullopt : exchange.body->root().find(name);
}

}  // namespace

std::optional<std::string> find_text(const key_protocol::Exchange& exchange, std::string_view name)
{
    const auto value = find(exchange, name);
    if (!value || value->kind() != JsonKind::string) return std::nullopt;
    return std::string{value->string()};
}

std::optional<std::int64_t> find_integer(
    const key_protocol::Exchange& exchange, std::string_view name
)
{
    const auto value = find(exchange, name);
    if (!value || value->kind() != JsonKind::number) return std::nullopt;
    const std::string_view text = value->number();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

bool has_field(const key_protocol::Exchange& exchange, std::string_view name)
{
    const auto value = find(exchange, name);
    return value && value->kind() != JsonKind::null;
}

std::expected<std::string, http::Problem> read_reason(const key_protocol::Exchange& exchange)
{
    const auto reason = find_text(exchange, "reason");
    // It is shown on terminals.
    const bool is_line =
        reason && reason->find_first_not_of(' ') != std::string::npos &&
        std::ranges::none_of(*reason, [](unsigned char c) { return c < ' ' || c == 0x7f; });
    if (!is_line) {
        return std::unexpected(wrong_field(
            "reason", "say why, in one line; it is kept in the audit", exchange.language
        ));
    }
    const std::string& who = exchange.caller.label;
    return fmt::format("by {}: {}", who.empty() ? "an operator without a token" : who, *reason);
}

std::optional<http::Problem> refuse_unknown(
    const key_protocol::Exchange& exchange, std::initializer_list<std::string_view> known
)
{
    return key_protocol::BodyFields{exchange.body, known}.problem(exchange.language);
}

}  // namespace umavez::operators
