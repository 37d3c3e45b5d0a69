#pragma once

// NF-e and NFC-e, signed, for tests. Pure.

#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"
#include "support/certificates.hpp"
#include "xml/signature.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz::test_documents {

inline constexpr std::string_view cnpj = "58716523000119";

struct NfeWish {
    std::string mod = "55";
    std::string uf = "35";
    std::string issuer = "<CNPJ>58716523000119</CNPJ>";
    std::string inscricao = std::string{cnpj};  // as the key has it, 14 positions
    std::string serie = "1";
    std::string numero = "30";
    std::string tp_emis = "1";
    std::string c_nf = "26730161";
    std::string dh_emi = "2026-03-03T12:17:25-03:00";
    std::string tp_amb = "2";
    std::string id = {};  // empty: as it must be
    std::string more = "<natOp>venda &amp; ação</natOp>";
    std::string beside = {};  // between infNFe and the Signature
};

// Made of what the wish says of itself, whether that holds or not.
inline std::string key_of(const NfeWish& wish = {})
{
    const auto key = AccessKey::build({
        .natural =
            {.tipo = wish.mod == "65" ? Tipo::nfce : Tipo::nfe,
             .uf = wish.uf,
             .inscricao = wish.inscricao,
             .serie = std::stoll(wish.serie),
             .numero = std::stoll(wish.numero),
             .tp_emis = std::stoi(wish.tp_emis)},
        .aamm = wish.dh_emi.substr(2, 2) + wish.dh_emi.substr(5, 2),
        .c_nf = wish.c_nf,
    });
    return key ? key->text() : std::string(AccessKey::length, '0');
}

inline std::string id_of(const NfeWish& wish = {})
{
    return wish.id.empty() ? "NFe" + key_of(wish) : wish.id;
}

inline std::string make_unsigned(const NfeWish& wish = {})
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<NFe xmlns=\"{}\"><infNFe Id=\"{}\" "
        "versao=\"4.00\"><ide><cUF>{}</cUF><cNF>{}</cNF>{}<mod>{}</mod><serie>{}</serie>"
        "<nNF>{}</nNF><dhEmi>{}</dhEmi><tpEmis>{}</tpEmis><cDV>{}</cDV><tpAmb>{}</tpAmb></ide>"
        "<emit>{}<xNome>LOJA LTDA</xNome></emit></infNFe>{}</NFe>",
        nfe_namespace,
        id_of(wish),
        wish.uf,
        wish.c_nf,
        wish.more,
        wish.mod,
        wish.serie,
        wish.numero,
        wish.dh_emi,
        wish.tp_emis,
        key_of(wish).back(),
        wish.tp_amb,
        wish.issuer,
        wish.beside
    );
}

inline std::string sign(const std::string& xml, std::string_view id, const test::Issued& issued)
{
    const auto text = xml::sign_enveloped(
        xml, id, {issued.certificate_pem, issued.key_pem}, xml::SignatureAlgorithm::rsa_sha1
    );
    return text ? *text : "";
}

inline std::string make_nfe(const test::Issued& issued, const NfeWish& wish = {})
{
    return sign(make_unsigned(wish), id_of(wish), issued);
}

// One for all tests of a program: keys take long to make.
inline const test::TestAuthority& issuer()
{
    static const test::TestAuthority authority;
    return authority;
}
inline const test::Issued& shop()
{
    static const test::Issued issued =
        issuer().issue({.common_name = "LOJA LTDA:58716523000119", .cnpj = std::string{cnpj}});
    return issued;
}

}  // namespace umavez::fiscal::sefaz::test_documents
