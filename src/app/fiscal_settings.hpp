#pragma once

// [fiscal], [fiscal.nacional], [fiscal.sao_paulo], [[fiscal.sefaz]] and [[fiscal.emitente]]: who issues
// fiscal documents, with which certificate, and how authorities are called.
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
    // Requests that ask, for each authority, environment and issuer; 0: no limit.
    std::size_t consultas_por_minuto = 120;
    Duration bloqueio = std::chrono::hours{1};
    Duration assentamento = std::chrono::seconds{15};
    Duration lease = std::chrono::seconds{30};

    // Where the tax office of a state is, as the file has it.
    struct Sefaz {
        std::string lugar;     // "SP", "35", "SVC-AN", "SVC-RS"; "*": wherever nothing else is said
        std::string modelo;    // "nfe" or "nfce"; empty: both
        std::string ambiente;  // "producao" or "homologacao"
        std::string autorizacao, ret_autorizacao, consulta, evento, inutilizacao, status;
        std::string ca_file;  // PEM; empty: whom the system believes. One for all of them
        int line = 0;
    };
    std::vector<Sefaz> sefaz;

    // Of the city of São Paulo. Its service for trying issues nothing.
    std::string sao_paulo_producao = "https://nfews.prefeitura.sp.gov.br/lotenfe.asmx";
    std::string sao_paulo_homologacao;
    std::string sao_paulo_ca_file;
    bool sao_paulo_consulta_sempre = false;  // before the first send of an RPS, too

    // Of Sefin Nacional, without a slash at their ends.
    std::string nacional_producao = "https://sefin.nfse.gov.br/SefinNacional";
    std::string nacional_homologacao = "https://sefin.producaorestrita.nfse.gov.br/SefinNacional";
    std::string nacional_ca_file;  // PEM; empty: whom the system believes
};

// An entry whose path begins with fiscal.emitente.
Result<void> take_emitente_entry(const ConfigEntry& entry, FiscalSettings& settings);

// An entry whose path begins with fiscal.sefaz.
Result<void> take_sefaz_entry(const ConfigEntry& entry, FiscalSettings& settings);
// A place that can be called, or a sentence that says what is missing.
Result<void> check_sefaz(const FiscalSettings& settings);

// Documents and certificates go nowhere in the clear: https:// alone.
Result<void> check_endpoint(std::string_view text);

// Reads the passwords that stand in the environment or in files, and checks every issuer: a number that can
// be one, and one tenant for it.
Result<void> complete_emitentes(
    FiscalSettings& settings,
    const std::function<std::optional<std::string>(const std::string&)>& environment
);

std::vector<SettingSpec> fiscal_specs();

// What contradicts itself, and certificates that cannot be used: not read, a wrong password, no key.
// misconfigured: the setting and the cure. One that is over, or somebody else's, is no reason not to start:
// its documents are refused when they come (fiscal_certificates.hpp).
Result<void> check_fiscal(const FiscalSettings& settings);

}  // namespace umavez
