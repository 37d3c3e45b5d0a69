#pragma once

// A DPS, the NFS-e that is made of it and the event that cancels it, for tests. Pure.

#include "modules/fiscal/nacional/packing.hpp"
#include "support/certificates.hpp"
#include "xml/signature.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace umavez::fiscal::nacional::test_documents {

inline constexpr std::string_view id_dps = "DPS211130020057475300010000003000000000005306";
inline constexpr std::string_view chave = "21113002200574753000100000000000146726037032711025";
inline constexpr std::string_view space = "http://www.sped.fazenda.gov.br/nfse";

struct DpsWish {
    std::string id = std::string{id_dps};
    std::string tp_amb = "2";
    std::string municipio = "2111300";
    std::string prestador = "<CNPJ>00574753000100</CNPJ>";
    std::string serie = "3";
    std::string numero = "5306";
    std::string more = "<xDescServ>Consultoria &amp; ação</xDescServ>";
};

inline std::string make_dps(const DpsWish& wish = {})
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><DPS xmlns=\"{}\" versao=\"1.01\"><infDPS "
        "Id=\"{}\">"
        "<tpAmb>{}</tpAmb><dhEmi>2026-03-03T12:17:25-03:00</dhEmi><serie>{}</serie><nDPS>{}</nDPS>"
        "<tpEmit>1</tpEmit><cLocEmi>{}</cLocEmi><prest>{}</prest>{}</infDPS></DPS>",
        space,
        wish.id,
        wish.tp_amb,
        wish.serie,
        wish.numero,
        wish.municipio,
        wish.prestador,
        wish.more
    );
}

inline std::string sign(const std::string& dps, const test::Issued& issued)
{
    const auto text = xml::sign_enveloped(
        dps, id_dps, {issued.certificate_pem, issued.key_pem}, xml::SignatureAlgorithm::rsa_sha256
    );
    return text ? *text : "";
}

// What the authority makes: the DPS as it came, in its own.
inline std::string make_nfse(std::string_view dps, std::string_view key = chave)
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><NFSe versao=\"1.01\" xmlns=\"{}\"><infNFSe "
        "Id=\"NFS{}\">"
        "<nNFSe>1467</nNFSe><cStat>100</cStat><nDFSe>2369908</nDFSe>{}</infNFSe></NFSe>",
        space,
        key,
        dps.substr(dps.find("<DPS"))
    );
}

inline std::string make_evento(std::string_view kind, std::string_view key = chave)
{
    return fmt::format(
        "<evento versao=\"1.01\" xmlns=\"{}\"><infEvento Id=\"EVT{}{}001\"><nDFSe>77</nDFSe>"
        "<pedRegEvento versao=\"1.01\"><infPedReg "
        "Id=\"PRE{}{}\"><chNFSe>{}</chNFSe><e{}/></infPedReg>"
        "</pedRegEvento></infEvento></evento>",
        space,
        key,
        kind,
        key,
        kind,
        key,
        kind
    );
}

}  // namespace umavez::fiscal::nacional::test_documents
