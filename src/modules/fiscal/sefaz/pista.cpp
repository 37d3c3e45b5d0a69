#include "modules/fiscal/sefaz/pista.hpp"

#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/modulo11.hpp"

#include <fmt/format.h>

namespace umavez::fiscal::sefaz {
namespace {

constexpr std::string_view recibo_prefix = "recibo:";
constexpr std::string_view chave_prefix = "chave:";
constexpr std::size_t recibo_length_max = 20;   // 15 as the manual has it
constexpr std::size_t seconds_length_max = 11;  // far behind the year 5000

}  // namespace

bool is_recibo(std::string_view text) noexcept
{
    return !text.empty() && text.size() <= recibo_length_max && digits.has_all(text);
}

Pista parse_pista(std::string_view text)
{
    if (text.starts_with(chave_prefix)) {
        const auto key = AccessKey::parse(text.substr(chave_prefix.size()));
        return key ? Pista{.outra_chave = key->text()} : Pista{};
    }
    if (!text.starts_with(recibo_prefix)) return {};
    text.remove_prefix(recibo_prefix.size());
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view recibo = text.substr(0, colon);
    const std::string_view seconds = text.substr(colon + 1);
    const bool has_seconds =
        !seconds.empty() && seconds.size() <= seconds_length_max && digits.has_all(seconds);
    if (!is_recibo(recibo) || !has_seconds) return {};
    return {
        .recibo = std::string{recibo},
        .recibo_from = Instant{std::chrono::seconds{number_of(seconds)}},
    };
}

std::string to_text(const Pista& pista)
{
    if (!pista.recibo.empty()) {
        const auto from =
            std::chrono::ceil<std::chrono::seconds>(pista.recibo_from.time_since_epoch());
        return fmt::format("{}{}:{}", recibo_prefix, pista.recibo, from.count());
    }
    if (!pista.outra_chave.empty()) return fmt::format("{}{}", chave_prefix, pista.outra_chave);
    return {};
}

}  // namespace umavez::fiscal::sefaz
