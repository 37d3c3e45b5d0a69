// The table of settings: the names of each, and how its text is taken.

#include "app/idempotency_settings.hpp"
#include "base/nearest.hpp"
#include "app/settings.hpp"
#include "app/units.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace umavez {
namespace {

Result<void> set_duration(std::string_view text, Duration& out)
{
    const auto parsed = parse_duration(text);
    if (!parsed) return std::unexpected(parsed.error());
    out = *parsed;
    return {};
}

Result<void> set_database(std::string_view text, Settings& settings)
{
    settings.database = text;
    return {};
}

Result<void> set_listen(std::string_view text, Settings& settings)
{
    auto parsed = parse_listen(text);
    if (!parsed) return std::unexpected(parsed.error());
    settings.listen = *std::move(parsed);
    return {};
}

Result<void> set_http_threads(std::string_view text, Settings& settings)
{
    constexpr std::size_t threads_max = 64;
    const char* const end = text.data() + text.size();
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), settings.http_threads);
    const bool is_number = error == std::errc{} && rest == end;
    if (is_number && settings.http_threads >= 1 && settings.http_threads <= threads_max) return {};
    return fail(
        Errc::misconfigured,
        fmt::format("\"{}\" is not a number from 1 to {}", shown(text), threads_max)
    );
}

Result<void> set_tls_cert(std::string_view text, Settings& settings)
{
    settings.tls_cert = text;
    return {};
}

Result<void> set_tls_key(std::string_view text, Settings& settings)
{
    settings.tls_key = text;
    return {};
}

Result<void> set_log_level(std::string_view text, Settings& settings)
{
    static const std::vector<std::string> names{"debug", "info", "warning", "error"};
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "\"{}\" is not one of {}{}",
                shown(text),
                fmt::join(names, ", "),
                suggestion(text, names)
            )
        );
    }
    settings.log_level = static_cast<LogLevel>(found - names.begin());
    return {};
}

Result<void> set_drain_limit(std::string_view text, Settings& settings)
{
    return set_duration(text, settings.drain_limit);
}

Result<void> set_kept(std::string_view text, std::string_view example, Duration& out)
{
    if (auto set = set_duration(text, out); !set) return set;
    if (out > Duration{0}) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "{} keeps nothing; write a duration above zero, such as {}", shown(text), example
        )
    );
}

Result<void> set_audit_retention(std::string_view text, Settings& settings)
{
    return set_kept(text, "90d", settings.audit_retention);
}

Result<void> set_retencao_operacoes(std::string_view text, Settings& settings)
{
    Duration retention{};
    if (auto set = set_kept(text, "30d", retention); !set) return set;
    settings.propostas.retencao_operacoes = retention;
    return {};
}

}  // namespace

const std::vector<SettingSpec>& setting_specs()
{
    static const std::vector<SettingSpec> specs = [] {
        std::vector<SettingSpec> made{
            {"database",
             "--database",
             "UMAVEZ_DATABASE",
             "URL",
             "sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST/DATABASE",
             "\"sqlite:umavez.db\"",
             set_database},
            {"listen",
             "--listen",
             "UMAVEZ_LISTEN",
             "ADDRESS:PORT",
             "where to serve; port 0 is any",
             "\"127.0.0.1:8080\"",
             set_listen},
            {"http.threads",
             "--http-threads",
             "UMAVEZ_HTTP_THREADS",
             "N",
             "threads for HTTP",
             "2",
             set_http_threads},
            {"http.drain_limit",
             "--drain-limit",
             "UMAVEZ_DRAIN_LIMIT",
             "DURATION",
             "how long a stop waits for running requests",
             "\"10s\"",
             set_drain_limit},
            {"tls.cert",
             "--tls-cert",
             "UMAVEZ_TLS_CERT",
             "FILE",
             "certificate and its chain in PEM: serve HTTPS; read again on SIGHUP",
             "\"umavez.pem\"",
             set_tls_cert},
            {"tls.key",
             "--tls-key",
             "UMAVEZ_TLS_KEY",
             "FILE",
             "private key of the certificate in PEM, without a passphrase",
             "\"umavez.key\"",
             set_tls_key},
            {"audit.retention",
             "--audit-retention",
             "UMAVEZ_AUDIT_RETENTION",
             "DURATION",
             "how long the audit is kept",
             "\"90d\"",
             set_audit_retention},
            {"log.level",
             "--log-level",
             "UMAVEZ_LOG_LEVEL",
             "LEVEL",
             "debug, info, warning, error",
             "\"info\"",
             set_log_level},
            {"propostas.retencao_operacoes",
             "--propostas-retencao-operacoes",
             "UMAVEZ_PROPOSTAS_RETENCAO_OPERACOES",
             "DURATION",
             "how long the operations of Propostas are kept; for ever without it",
             "\"30d\"",
             set_retencao_operacoes},
        };
        for (SettingSpec& spec : idempotency_specs()) made.push_back(std::move(spec));
        for (SettingSpec& spec : webhook_specs()) made.push_back(std::move(spec));
        for (SettingSpec& spec : mailing_specs()) made.push_back(std::move(spec));
        for (SettingSpec& spec : fiscal_specs()) made.push_back(std::move(spec));
        return made;
    }();
    return specs;
}

}  // namespace umavez
