#pragma once

// Documents for tests of the simulator, and the requests that carry them. Pure.

#include "base/json_object.hpp"
#include "http/message.hpp"
#include "modules/fiscal/simulator/packing.hpp"

#include <fmt/format.h>

#include <string>

namespace umavez::fiscal::simulator {

struct TestDps {
    std::string id = "DPS211130020057475300010000003000000000005306";
    std::string ambiente = "2";
    std::string serie = "3";
    std::string numero = "5306";
    std::string municipio = "2111300";
    std::string prestador = "<CNPJ>00574753000100</CNPJ>";
    std::string subst = {};
    std::string valor = "51.60";

    // The number and, of the default issuer, the id that belongs to it.
    static TestDps of_number(int number)
    {
        return {
            .id = fmt::format("DPS211130020057475300010000003{:015}", number),
            .numero = std::to_string(number),
        };
    }

    std::string xml() const
    {
        return fmt::format(
            R"(<?xml version="1.0" encoding="UTF-8"?>)"
            R"(<DPS versao="1.01" xmlns="http://www.sped.fazenda.gov.br/nfse"><infDPS Id="{}">)"
            "<tpAmb>{}</tpAmb><dhEmi>2026-03-03T12:17:25-03:00</dhEmi><verAplic>teste</"
            "verAplic><serie>{}</serie>"
            "<nDPS>{}</nDPS><dCompet>2026-03-03</dCompet><tpEmit>1</tpEmit><cLocEmi>{}</cLocEmi>{}"
            "<prest>{}</prest><serv><cServ><xDescServ>Conserto &amp; "
            "manutenção</xDescServ></cServ></serv>"
            "<valores><vServPrest><vServ>{}</vServ></vServPrest></valores></infDPS></DPS>",
            id,
            ambiente,
            serie,
            numero,
            municipio,
            subst.empty() ? "" : fmt::format("<subst><chSubstda>{}</chSubstda></subst>", subst),
            prestador,
            valor
        );
    }
};

inline http::Request post_dps(const std::string& xml)
{
    http::Request request;
    request.method = "POST";
    request.path = "/SefinNacional/nfse";
    request.body = JsonObject{}.text("dpsXmlGZipB64", encode_base64(zip(xml))).str();
    return request;
}

inline std::string pedido_xml(
    const std::string& chave,
    const std::string& id,
    const std::string& tipo = "101101",
    const std::string& motivo = "Erro na emissão da nota"
)
{
    return fmt::format(
        R"(<pedRegEvento versao="1.01" xmlns="http://www.sped.fazenda.gov.br/nfse"><infPedReg Id="{}">)"
        "<tpAmb>2</tpAmb><verAplic>teste</verAplic><dhEvento>2026-03-03T12:17:25-03:00</dhEvento>"
        "<CNPJAutor>00574753000100</CNPJAutor><chNFSe>{}</chNFSe><e{}><xDesc>Cancelamento de "
        "NFS-e</xDesc>"
        "<cMotivo>1</cMotivo><xMotivo>{}</xMotivo></e{}></infPedReg></pedRegEvento>",
        id,
        chave,
        tipo,
        motivo,
        tipo
    );
}

inline http::Request post_pedido(const std::string& chave, const std::string& xml)
{
    http::Request request;
    request.method = "POST";
    request.path = "/nfse/" + chave + "/eventos";
    request.body =
        JsonObject{}.text("pedidoRegistroEventoXmlGZipB64", encode_base64(zip(xml))).str();
    return request;
}

inline http::Request cancel(const std::string& chave)
{
    return post_pedido(chave, pedido_xml(chave, "PRE" + chave + "101101"));
}

inline http::Request get(std::string path)
{
    http::Request request;
    request.method = "GET";
    request.path = std::move(path);
    return request;
}

}  // namespace umavez::fiscal::simulator
