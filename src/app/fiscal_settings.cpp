#include "app/fiscal_settings.hpp"

#include "app/settings.hpp"
#include "app/units.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <charconv>

namespace umavez {
namespace {

template <auto Member, std::size_t least, std::size_t most>
Result<void> set_number(std::string_view text, Settings& settings)
{
    const char* const end = text.data() + text.size();
    std::size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end || number < least || number > most) {
        return fail(
            Errc::misconfigured,
            fmt::format("\"{}\" is not a number from {} to {}", shown(text), least, most)
        );
    }
    auto& out = settings.fiscal.*Member;
    out = static_cast<std::remove_reference_t<decltype(out)>>(number);
    return {};
}

template <Duration FiscalSettings::* Member>
Result<void> set_duration(std::string_view text, Settings& settings)
{
    const auto parsed = parse_duration(text);
    if (!parsed) return std::unexpected(parsed.error());
    settings.fiscal.*Member = *parsed;
    return {};
}

template <Duration FiscalSettings::* Member>
Result<void> set_above_zero(std::string_view text, Settings& settings)
{
    if (auto set = set_duration<Member>(text, settings); !set) return set;
    if (settings.fiscal.*Member > Duration{0}) return {};
    return fail(Errc::misconfigured, fmt::format("{} is not above zero", shown(text)));
}

// A heartbeat every third of it: less would be lost by a busy machine.
Result<void> set_lease(std::string_view text, Settings& settings)
{
    if (auto set = set_duration<&FiscalSettings::lease>(text, settings); !set) return set;
    if (settings.fiscal.lease >= std::chrono::seconds{1}) return {};
    return fail(
        Errc::misconfigured,
        fmt::format("{} is too short for the signs of life of a call; at least 1s", shown(text))
    );
}

template <std::string FiscalSettings::* Member>
Result<void> set_endpoint(std::string_view text, Settings& settings)
{
    if (auto checked = check_endpoint(text); !checked) return checked;
    while (text.ends_with('/')) text.remove_suffix(1);
    settings.fiscal.*Member = text;
    return {};
}

template <std::string FiscalSettings::* Member>
Result<void> set_text(std::string_view text, Settings& settings)
{
    settings.fiscal.*Member = text;
    return {};
}

Result<void> set_consulta_sempre(std::string_view text, Settings& settings)
{
    if (text != "true" && text != "false") {
        return fail(
            Errc::misconfigured, fmt::format("\"{}\" is neither true nor false", shown(text))
        );
    }
    settings.fiscal.sao_paulo_consulta_sempre = text == "true";
    return {};
}

// [fiscal] key, flag and variable are made of one name.
SettingSpec spec(
    const std::string& name,
    std::string value_name,
    std::string help,
    std::string example,
    Result<void> (*set)(std::string_view, Settings&)
)
{
    std::string flag = "--fiscal-" + name;
    std::string environment = "UMAVEZ_FISCAL_" + name;
    for (char& c : flag) c = c == '_' || c == '.' ? '-' : c;
    for (char& c : environment) {
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '.' ? '_' : c;
    }
    return {
        "fiscal." + name,
        std::move(flag),
        std::move(environment),
        std::move(value_name),
        std::move(help),
        std::move(example),
        set
    };
}

}  // namespace

Result<void> check_endpoint(std::string_view text)
{
    constexpr std::string_view scheme = "https://";
    const std::string_view host = text.starts_with(scheme) ? text.substr(scheme.size()) : "";
    const bool is_odd = text.find_first_of(" \t\r\n<>\"?#@") != std::string_view::npos;
    if (!host.empty() && !host.starts_with('/') && !host.starts_with(':') && !is_odd) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "\"{}\" is not an address such as https://sefin.nfse.gov.br/SefinNacional",
            text.find('@') == std::string_view::npos ? shown(text) : "…"
        )
    );
}

std::vector<SettingSpec> fiscal_specs()
{
    using S = FiscalSettings;
    constexpr std::size_t million = 1'000'000;
    return {
        spec("threads", "N", "calls of authorities at a time, for clients and for the worker each", "4",
             set_number<&S::threads, 1, 64>),
        spec("timeout_emissao", "DURATION", "of one emission; what then came of it is asked", "\"60s\"",
             set_above_zero<&S::timeout_emissao>),
        spec("timeout_consulta", "DURATION", "of one question to an authority", "\"30s\"",
             set_above_zero<&S::timeout_consulta>),
        spec("timeout_cancelamento", "DURATION", "of one cancellation", "\"60s\"",
             set_above_zero<&S::timeout_cancelamento>),
        spec("timeout_inutilizacao", "DURATION", "of one voiding of numbers", "\"60s\"",
             set_above_zero<&S::timeout_inutilizacao>),
        spec("tentativas", "N", "calls before the client is told to come later", "3",
             set_number<&S::tentativas, 1, 20>),
        spec("backoff_primeiro", "DURATION", "the wait after the first call that failed", "\"1s\"",
             set_above_zero<&S::backoff_primeiro>),
        spec("backoff_maximo", "DURATION", "the longest wait between two calls", "\"30s\"",
             set_above_zero<&S::backoff_maximo>),
        spec("consultas_por_minuto", "N",
             "requests a minute that ask an authority for one issuer, by all processes; 0: no limit",
             "120",
             set_number<&S::consultas_por_minuto, 0, million>),
        spec("bloqueio", "DURATION", "how long an authority that said \"too often\" is left alone",
             "\"1h\"", set_above_zero<&S::bloqueio>),
        spec("assentamento", "DURATION",
             "how long after a call \"there is no such thing\" is not believed yet", "\"15s\"",
             set_above_zero<&S::assentamento>),
        spec("lease", "DURATION", "without a sign of life for so long a document is taken over",
             "\"30s\"", set_lease),
        spec("nacional.producao", "URL", "Sefin Nacional, where documents count",
             "\"https://sefin.nfse.gov.br/SefinNacional\"", set_endpoint<&S::nacional_producao>),
        spec("nacional.homologacao", "URL", "Sefin Nacional, for trying",
             "\"https://sefin.producaorestrita.nfse.gov.br/SefinNacional\"",
             set_endpoint<&S::nacional_homologacao>),
        spec("nacional.ca_file", "FILE",
             "who vouches for Sefin Nacional, in PEM; whom the system believes without it",
             "\"/etc/umavez/sefin-ca.pem\"", set_text<&S::nacional_ca_file>),
        spec("sao_paulo.producao", "URL", "the city of São Paulo, where documents count",
             "\"https://nfews.prefeitura.sp.gov.br/lotenfe.asmx\"",
             set_endpoint<&S::sao_paulo_producao>),
        spec("sao_paulo.homologacao", "URL", "the city of São Paulo, for trying",
             "\"https://sp.example/lotenfe.asmx\"",
             set_endpoint<&S::sao_paulo_homologacao>),
        spec("sao_paulo.ca_file", "FILE",
             "who vouches for the city of São Paulo, in PEM; whom the system believes without it",
             "\"/etc/umavez/sp-ca.pem\"", set_text<&S::sao_paulo_ca_file>),
        spec("sao_paulo.consulta_sempre", "BOOL",
             "ask the city before the first send of an RPS too, as after a restore of the database", "false",
             set_consulta_sempre),
    };
}

}  // namespace umavez
