#pragma once

// [fiscal], [fiscal.nacional] and [[fiscal.emitente]]: who issues fiscal documents, with which certificate,
// and how authorities are called.
//
// Immutable after load_settings.

#include "app/config_file.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace umavez {

struct SettingSpec;

struct FiscalSettings {
    // Somebody in whose name documents are issued, as the file has it.
    struct Emitente {
        std::string inscricao;    // CNPJ or CPF, without punctuation; letters are upper case
        std::string tenant;       // the only one that may issue in this name
        std::string certificado;  // file: .pfx, .p12 or PEM
        std::string chave;        // file: its key, where a PEM has none
        std::string senha;        // never shown
        std::string senha_env;
        std::string senha_file;
        int line = 0;
    };
    std::vector<Emitente> emitentes;

    std::size_t threads = 4;
    Duration timeout_emissao = std::chrono::seconds{60};
    Duration timeout_consulta = std::chrono::seconds{30};
    Duration timeout_cancelamento = std::chrono::seconds{60};
    Duration timeout_inutilizacao = std::chrono::seconds{60};
    std::uint32_t tentativas = 3;
    Duration backoff_primeiro = std::chrono::seconds{1};
    Duration backoff_maximo = std::chrono::seconds{30};
    std::size_t consultas_por_minuto =
        60;  // for each authority, environment and issuer; 0: no limit
    Duration bloqueio = std::chrono::hours{1};
    Duration assentamento = std::chrono::seconds{15};
    Duration lease = std::chrono::seconds{30};

    // Of Sefin Nacional, without a slash at their ends.
    std::string nacional_producao = "https://sefin.nfse.gov.br/SefinNacional";
    std::string nacional_homologacao = "https://sefin.producaorestrita.nfse.gov.br/SefinNacional";
    std::string nacional_ca_file;  // PEM; empty: whom the system believes
};

// An entry whose path begins with fiscal.emitente.
Result<void> take_emitente_entry(const ConfigEntry& entry, FiscalSettings& settings);

// Reads the passwords that stand in the environment or in files, and checks every issuer: a number that can
// be one, and one tenant for it.
Result<void> complete_emitentes(
    FiscalSettings& settings,
    const std::function<std::optional<std::string>(const std::string&)>& environment
);

std::vector<SettingSpec> fiscal_specs();

// What contradicts itself, and certificates that cannot be used: not read, a wrong password, no key.
// misconfigured: the setting and the cure. One that is over is no reason not to start: its documents are
// refused when they come.
Result<void> check_fiscal(const FiscalSettings& settings);

}  // namespace umavez
