#include "intent.hpp"

#include <fmt/format.h>

#include <charconv>

namespace umavez::crash {

std::string_view to_text(Kind kind) noexcept
{
    static constexpr std::array<std::string_view, kinds.size()> names = {
        "order", "session", "payment", "slip", "notice"
    };
    return names[static_cast<std::size_t>(kind)];
}

std::string_view operation_of(Kind kind) noexcept
{
    static constexpr std::array<std::string_view, kinds.size()> names = {
        "pedidos.criar", "sessoes.abrir", "pagamentos.cobrar", "boletos.emitir", "avisos.enviar"
    };
    return names[static_cast<std::size_t>(kind)];
}

unsigned numbers_of(Kind kind) noexcept
{
    static constexpr std::array<unsigned, kinds.size()> counts = {5, 2, 5, 3, 3};
    return counts[static_cast<std::size_t>(kind)];
}

std::string Intent::key() const
{
    return fmt::format("{}-{}-{}", to_text(kind), generation, number);
}

std::optional<Intent> parse_intent(std::string_view key)
{
    for (const Kind kind : kinds) {
        if (!key.starts_with(to_text(kind))) continue;
        Intent intent{.kind = kind};
        const char* const end = key.data() + key.size();
        const char* const first = key.data() + to_text(kind).size() + 1;
        const auto generation = std::from_chars(first, end, intent.generation);
        const auto number = std::from_chars(generation.ptr + 1, end, intent.number);
        if (generation.ec != std::errc{} || number.ec != std::errc{}) return std::nullopt;
        return intent;
    }
    return std::nullopt;
}

std::vector<Intent> intents_of(unsigned generation)
{
    std::vector<Intent> intents;
    for (const Kind kind : kinds) {
        for (unsigned number = 0; number < numbers_of(kind); ++number) {
            intents.push_back({kind, generation, number});
        }
    }
    return intents;
}

Request to_request(const Intent& intent)
{
    return {
        .tenant_id = *TenantId::parse("acme"),
        .operation = *Operation::parse(operation_of(intent.kind)),
        .key = *Key::parse(intent.key()),
        .target = make_target({operation_of(intent.kind)}),
        .fingerprint = fingerprint_bytes("text/plain", intent.key()),
        .wait = std::chrono::milliseconds{20},
    };
}

}  // namespace umavez::crash
