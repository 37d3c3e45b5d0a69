#pragma once

// Answers of SEFAZ, as they come, for tests. Pure.

#include "modules/fiscal/sefaz/nfe.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz::test_answers {

inline std::string enveloped(std::string_view message)
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope "
        "xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><soap:Body><nfeResultMsg "
        "xmlns=\"http://www.portalfiscal.inf.br/nfe/wsdl/NFe4\">{}</nfeResultMsg></soap:Body>"
        "</soap:Envelope>",
        message
    );
}

// A message with a code and whatever else there is.
inline std::string ret(
    std::string_view name,
    std::string_view code,
    std::string_view more = {},
    std::string_view why = "motivo"
)
{
    return enveloped(fmt::format(
        "<{0} xmlns=\"{1}\" versao=\"4.00\"><tpAmb>2</tpAmb><verAplic>SP_4</verAplic>"
        "<cStat>{2}</cStat><xMotivo>{3}</xMotivo><cUF>35</cUF>{4}</{0}>",
        name,
        nfe_namespace,
        code,
        why,
        more
    ));
}

struct ProtWish {
    std::string code = "100";
    std::string dig_val = {};
    std::string n_prot = "135260000000123";
    std::string motivo = "Autorizado o uso da NF-e";
    std::string tp_amb = "2";
};

inline std::string tag(std::string_view name, std::string_view text)
{
    return text.empty() ? "" : fmt::format("<{0}>{1}</{0}>", name, text);
}

inline std::string prot(std::string_view chave, const ProtWish& wish = {})
{
    return fmt::format(
        "<protNFe versao=\"4.00\"><infProt><tpAmb>{}</tpAmb><verAplic>SP_4</verAplic>"
        "<chNFe>{}</chNFe><dhRecbto>2026-03-03T12:17:30-03:00</dhRecbto>{}{}<cStat>{}</cStat>"
        "<xMotivo>{}</xMotivo></infProt></protNFe>",
        wish.tp_amb,
        chave,
        tag("nProt", wish.n_prot),
        tag("digVal", wish.dig_val),
        wish.code,
        wish.motivo
    );
}

inline std::string receipt(std::string_view number, std::string_view seconds = "1")
{
    return fmt::format("<infRec><nRec>{}</nRec><tMed>{}</tMed></infRec>", number, seconds);
}

inline std::string ret_evento(
    std::string_view chave,
    std::string_view code,
    std::string_view kind = "110111",
    std::string_view n_prot = "135260000000999"
)
{
    return fmt::format(
        "<retEvento versao=\"1.00\"><infEvento><tpAmb>2</tpAmb><cOrgao>35</cOrgao>"
        "<cStat>{}</cStat><xMotivo>Evento</xMotivo><chNFe>{}</chNFe><tpEvento>{}</tpEvento>"
        "<nSeqEvento>1</nSeqEvento>{}</infEvento></retEvento>",
        code,
        chave,
        kind,
        tag("nProt", n_prot)
    );
}

inline std::string proc_evento(
    std::string_view chave, std::string_view kind = "110111", std::string_view code = "135"
)
{
    return fmt::format(
        "<procEventoNFe versao=\"1.00\"><evento versao=\"1.00\"><infEvento Id=\"ID{1}{0}01\">"
        "<chNFe>{0}</chNFe><tpEvento>{1}</tpEvento></infEvento></evento>{2}</procEventoNFe>",
        chave,
        kind,
        ret_evento(chave, code, kind)
    );
}

// The request of 31 to `last`.
inline std::string inut(std::string_view last = "34", std::string_view ano = "26")
{
    return fmt::format(
        "<inutNFe xmlns=\"{}\" versao=\"4.00\"><infInut><tpAmb>2</tpAmb><xServ>INUTILIZAR</xServ>"
        "<cUF>35</cUF><ano>{}</ano><CNPJ>58716523000119</CNPJ><mod>55</mod><serie>1</serie>"
        "<nNFIni>31</nNFIni><nNFFin>{}</nNFFin></infInut></inutNFe>",
        nfe_namespace,
        ano,
        last
    );
}

inline std::string ret_inut(
    std::string_view code, std::string_view n_prot = "135260000000777", std::string_view last = "34"
)
{
    return enveloped(fmt::format(
        "<retInutNFe xmlns=\"{}\" versao=\"4.00\"><infInut><tpAmb>2</tpAmb><cStat>{}</cStat>"
        "<xMotivo>Inutilizacao</xMotivo><cUF>35</cUF><ano>26</ano><CNPJ>58716523000119</CNPJ>"
        "<mod>55</mod><serie>1</serie><nNFIni>31</nNFIni><nNFFin>{}</nNFFin>{}</infInut>"
        "</retInutNFe>",
        nfe_namespace,
        code,
        last,
        tag("nProt", n_prot)
    ));
}

}  // namespace umavez::fiscal::sefaz::test_answers
