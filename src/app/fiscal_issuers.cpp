// [[fiscal.emitente]]: issuers as the file has them, their passwords and certificates.

#include "app/fiscal_certificates.hpp"
#include "app/fiscal_settings.hpp"
#include "app/listed_table.hpp"
#include "app/read_input.hpp"
#include "base/limits.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "modules/fiscal/ids/inscricao.hpp"

#include <umavez/names.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace umavez {
namespace {

using Emitente = FiscalSettings::Emitente;
using Environment = std::function<std::optional<std::string>(const std::string&)>;

struct TextKey {
    std::string_view name;
    std::string Emitente::* field;
};
constexpr std::array text_keys = {
    TextKey{"inscricao", &Emitente::inscricao},
    TextKey{"tenant", &Emitente::tenant},
    TextKey{"certificado", &Emitente::certificado},
    TextKey{"chave", &Emitente::chave},
    TextKey{"senha", &Emitente::senha},
    TextKey{"senha_env", &Emitente::senha_env},
    TextKey{"senha_file", &Emitente::senha_file},
};

Result<void> take_key(const ConfigEntry& entry, const std::string& key, Emitente& emitente)
{
    const auto found = std::ranges::find(text_keys, key, &TextKey::name);
    if (found == text_keys.end()) {
        std::vector<std::string> known;
        for (const TextKey& one : text_keys) known.emplace_back(one.name);
        return fail(
            Errc::misconfigured,
            fmt::format("is not a key of [[fiscal.emitente]]{}", suggestion(key, known))
        );
    }
    if (entry.type != ConfigType::string) {
        // Its text is not repeated: it may be a password.
        return fail(
            Errc::misconfigured,
            "wanted a string: write it in quotes, which also keep its leading zeros"
        );
    }
    emitente.*found->field = entry.value;
    return {};
}

std::string named(const Emitente& emitente)
{
    return fmt::format("fiscal.emitente \"{}\"", shown(emitente.inscricao));
}

// A line break at the end of a file is the editor's; everything else is the password's.
void trim_line_end(std::string& text)
{
    text.erase(text.find_last_not_of("\r\n") + 1);
}

Result<void> add_senha(Emitente& emitente, const Environment& environment)
{
    const int places = (emitente.senha.empty() ? 0 : 1) + (emitente.senha_env.empty() ? 0 : 1) +
                       (emitente.senha_file.empty() ? 0 : 1);
    if (places > 1) {
        return fail(
            Errc::misconfigured, "senha, senha_env and senha_file: write one of them, not several"
        );
    }
    if (!emitente.senha_env.empty()) {
        auto text = environment(emitente.senha_env);
        if (!text) {
            return fail(
                Errc::misconfigured,
                fmt::format("senha_env: the environment has no {}", shown(emitente.senha_env))
            );
        }
        emitente.senha = *std::move(text);
    }
    if (!emitente.senha_file.empty()) {
        auto text = read_input(
            emitente.senha_file, limits::config_bytes_max, std::chrono::milliseconds{3000}
        );
        if (!text) return fail(Errc::misconfigured, "senha_file: " + text.error().detail);
        trim_line_end(*text);
        emitente.senha = *std::move(text);
    }
    return {};
}

Result<void> check_one(const Emitente& emitente)
{
    if (emitente.inscricao.empty()) {
        return fail(
            Errc::misconfigured, "inscricao is missing: the CNPJ or CPF, without punctuation"
        );
    }
    if (const auto inscricao = fiscal::Inscricao::parse(emitente.inscricao); !inscricao) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "inscricao {}; write the CNPJ or CPF without punctuation, letters as capitals",
                fiscal::describe(inscricao.error()).en
            )
        );
    }
    if (const auto tenant = TenantId::parse(emitente.tenant); !tenant) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "tenant: {}; write whose documents these are, such as tenant = \"default\"",
                tenant.error().detail
            )
        );
    }
    if (emitente.certificado.empty()) {
        return fail(
            Errc::misconfigured, "certificado is missing: the path of its .pfx, .p12 or PEM file"
        );
    }
    return {};
}

}  // namespace

Result<void> take_emitente_entry(const ConfigEntry& entry, FiscalSettings& settings)
{
    return take_listed_entry(
        entry,
        settings.emitentes,
        "write each issuer as [[fiscal.emitente]], with two brackets, and its inscricao, tenant "
        "and "
        "certificado below",
        take_key
    );
}

Result<void> complete_emitentes(FiscalSettings& settings, const Environment& environment)
{
    for (auto at = settings.emitentes.begin(); at != settings.emitentes.end(); ++at) {
        auto completed = check_one(*at);
        if (completed) completed = add_senha(*at, environment);
        if (!completed) {
            return fail(
                Errc::misconfigured,
                fmt::format("{} (line {}): {}", named(*at), at->line, completed.error().detail)
            );
        }
        const auto earlier =
            std::ranges::find(settings.emitentes.begin(), at, at->inscricao, &Emitente::inscricao);
        if (earlier != at) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "{} stands in line {} and again in line {}: an issuer belongs to one tenant "
                    "and "
                    "has one certificate; remove one of them",
                    named(*at),
                    earlier->line,
                    at->line
                )
            );
        }
    }
    return {};
}

Result<void> check_fiscal(const FiscalSettings& settings)
{
    if (settings.backoff_primeiro > settings.backoff_maximo) {
        return fail(
            Errc::misconfigured,
            "fiscal.backoff_primeiro is above fiscal.backoff_maximo: make it the shorter one"
        );
    }
    if (!settings.nacional_ca_file.empty()) {
        const auto text = read_input(
            settings.nacional_ca_file, limits::config_bytes_max, std::chrono::milliseconds{3000}
        );
        if (!text || text->find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "fiscal.nacional.ca_file: {}; name a file with certificates in PEM, or leave "
                    "it "
                    "out to believe whom the system believes",
                    text ? shown(settings.nacional_ca_file) + " has no certificate in PEM"
                         : text.error().detail
                )
            );
        }
    }
    for (const Emitente& emitente : settings.emitentes) {
        const auto certificate = outbound::ClientCertificate::load(files_of(emitente));
        if (certificate) continue;
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{}: certificado, chave or senha: {}", named(emitente), certificate.error().detail
            )
        );
    }
    return {};
}

}  // namespace umavez
