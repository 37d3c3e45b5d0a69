#include "app/fiscal_authorities.hpp"

#include "app/fiscal_certificates.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/ids/uf.hpp"
#include "modules/fiscal/nacional/dps.hpp"
#include "modules/fiscal/nacional/nacional_authority.hpp"
#include "modules/fiscal/sao_paulo/rps.hpp"
#include "modules/fiscal/sao_paulo/sao_paulo_authority.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace umavez {
namespace {

using fiscal::Ambiente;
using fiscal::CertificateBook;
using fiscal::Identidade;
using fiscal::Tipo;

// What a DPS says of itself, as the module knows documents.
Result<Identidade> read_dps(std::string_view xml, std::optional<Ambiente>)
{
    const auto dps = fiscal::nacional::read_dps(xml);
    if (!dps) return std::unexpected(dps.error());
    const auto id = fiscal::DpsId::parse(dps->id);
    if (!id) {
        return fail(
            Errc::invalid_argument,
            fmt::format("the Id of infDPS {}", fiscal::describe(id.error()).en)
        );
    }
    return Identidade{
        .tipo = Tipo::nfse_nacional,
        .ambiente = dps->ambiente,
        .emitente = dps->emitente,
        .serie = dps->serie,
        .numero = dps->numero,
        .id_idempotencia = fiscal::id_idempotencia(dps->ambiente, *id),
        .id_autoridade = dps->id,
    };
}

template <Tipo tipo>
Result<Identidade> read_note(std::string_view xml, std::optional<Ambiente>)
{
    auto nfe = fiscal::sefaz::read_nfe(xml);
    if (!nfe) return std::unexpected(nfe.error());
    if (nfe->chave.tipo() != tipo) {
        return fail(
            Errc::invalid_argument,
            fmt::format(
                "infNFe/ide/mod is {}: send it as tipo \"{}\"",
                nfe->chave.modelo(),
                to_text(nfe->chave.tipo())
            )
        );
    }
    return Identidade{
        .tipo = tipo,
        .ambiente = nfe->ambiente,
        .emitente = std::move(nfe->emitente),
        .serie = std::to_string(nfe->serie),
        .numero = nfe->numero,
        .id_idempotencia = std::move(nfe->id_idempotencia),
        .id_autoridade = nfe->chave.text(),
    };
}

Result<Identidade> read_rps(std::string_view xml, std::optional<Ambiente> told)
{
    if (!told) {
        return fail(
            Errc::invalid_argument,
            "an RPS does not say its environment: give ambiente beside it, producao or homologacao"
        );
    }
    auto rps = fiscal::sao_paulo::read_rps(xml, *told);
    if (!rps) return std::unexpected(rps.error());
    return Identidade{
        .tipo = Tipo::nfse_sp,
        .ambiente = rps->ambiente,
        .emitente = std::move(rps->emitente),
        .serie = std::move(rps->serie),
        .numero = rps->numero,
        .id_idempotencia = std::move(rps->id_idempotencia),
        .id_autoridade = std::move(rps->id_autoridade),
    };
}

std::shared_ptr<const CertificateBook> make_book(const FiscalSettings& settings)
{
    CertificateBook::Files files;
    for (const FiscalSettings::Emitente& emitente : settings.emitentes) {
        files.emplace(emitente.inscricao, files_of(emitente));
    }
    return std::make_shared<const CertificateBook>(std::move(files));
}

std::vector<std::string> lugares_of(const std::string& name)
{
    if (name != "*") {
        const auto uf = fiscal::find_uf(name);
        return {uf ? std::string{uf->codigo} : name};
    }
    std::vector<std::string> all{"SVC-AN", "SVC-RS"};
    for (const fiscal::Uf& uf : fiscal::all_ufs()) all.emplace_back(uf.codigo);
    return all;
}

}  // namespace

// What a place says of itself wins over what "*" says.
fiscal::sefaz::Endpoints sefaz_endpoints(const FiscalSettings& settings)
{
    using Place = FiscalSettings::Sefaz;
    using fiscal::sefaz::Service;
    constexpr std::array services = {
        std::pair{Service::autorizacao, &Place::autorizacao},
        std::pair{Service::ret_autorizacao, &Place::ret_autorizacao},
        std::pair{Service::consulta_protocolo, &Place::consulta},
        std::pair{Service::recepcao_evento, &Place::evento},
        std::pair{Service::inutilizacao, &Place::inutilizacao},
        std::pair{Service::status_servico, &Place::status},
    };
    fiscal::sefaz::Endpoints endpoints;
    for (const bool is_general : {true, false}) {
        for (const Place& place : settings.sefaz) {
            if ((place.lugar == "*") != is_general) continue;
            const auto ambiente = fiscal::parse_ambiente(place.ambiente);
            if (!ambiente) continue;  // check_sefaz took nothing else
            for (const Tipo tipo : {Tipo::nfe, Tipo::nfce}) {
                if (!place.modelo.empty() && place.modelo != to_text(tipo)) continue;
                for (const std::string& lugar : lugares_of(place.lugar)) {
                    for (const auto& [service, address] : services) {
                        if ((place.*address).empty()) continue;
                        endpoints[{lugar, tipo, *ambiente, service}] = place.*address;
                    }
                }
            }
        }
    }
    return endpoints;
}

std::unique_ptr<const fiscal::sefaz::SefazAuthority> make_sefaz(const FiscalSettings& settings)
{
    return std::make_unique<const fiscal::sefaz::SefazAuthority>(
        fiscal::sefaz::SefazOptions{
            .endpoints = sefaz_endpoints(settings),
            .ca_file = settings.sefaz.front().ca_file,
            .settles_after = settings.assentamento,
            .receipt_pause = settings.assentamento,
        },
        make_book(settings),
        system_clock()
    );
}

FiscalAuthorities::FiscalAuthorities(const FiscalSettings& settings)
{
    const auto book = make_book(settings);
    nacional_ = std::make_unique<fiscal::nacional::NacionalAuthority>(
        fiscal::nacional::NacionalOptions{
            .producao = settings.nacional_producao,
            .homologacao = settings.nacional_homologacao,
            .ca_file = settings.nacional_ca_file,
        },
        book,
        system_clock()
    );
    sao_paulo_ = std::make_unique<fiscal::sao_paulo::SaoPauloAuthority>(
        fiscal::sao_paulo::SaoPauloOptions{
            .producao = settings.sao_paulo_producao,
            .homologacao = settings.sao_paulo_homologacao,
            .ca_file = settings.sao_paulo_ca_file,
            // Of two copies of an RPS the city takes both: longer than a call of ours can be under way.
            .absence_settles_after = 4 * settings.assentamento,
            .asks_always = settings.sao_paulo_consulta_sempre,
        },
        book,
        system_clock()
    );
    if (!settings.sefaz.empty()) sefaz_ = make_sefaz(settings);
}

std::map<Tipo, fiscal::TipoParts> FiscalAuthorities::tipos() const
{
    std::map<Tipo, fiscal::TipoParts> tipos{
        {Tipo::nfse_nacional, {nacional_.get(), read_dps}},
        {Tipo::nfse_sp, {sao_paulo_.get(), read_rps}},
    };
    if (sefaz_) {
        tipos.insert({Tipo::nfe, {sefaz_.get(), read_note<Tipo::nfe>}});
        tipos.insert({Tipo::nfce, {sefaz_.get(), read_note<Tipo::nfce>}});
    }
    return tipos;
}

std::vector<std::string> FiscalAuthorities::names() const
{
    std::vector<std::string> names;
    for (const auto& authority : {&nacional_, &sefaz_, &sao_paulo_}) {
        if (*authority) names.emplace_back((*authority)->name());
    }
    return names;
}

}  // namespace umavez
