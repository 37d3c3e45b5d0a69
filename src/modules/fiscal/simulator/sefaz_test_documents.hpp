#pragma once

// Documents of SEFAZ for tests of the simulator, and the requests that carry them. Pure.

#include "http/message.hpp"
#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/sefaz_call.hpp"
#include "modules/fiscal/simulator/sefaz_documents.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

struct TestNfe {
    int numero = 42;
    std::string modelo = "55";
    std::string mes = "2611";  // AAMM
    std::string inscricao = "00574753000100";
    std::string tp_emis = "1";
    std::string cnf = "13572468";
    std::string ambiente = "2";
    std::string sinc = "1";
    std::string valor = "51.60";

    std::string chave() const
    {
        const std::string positions =
            fmt::format("35{}{:0>14}{}001{:09}{}{}", mes, inscricao, modelo, numero, tp_emis, cnf);
        return positions + check_digit(positions);
    }
    std::string nfe() const
    {
        return fmt::format(
            R"(<NFe xmlns="http://www.portalfiscal.inf.br/nfe"><infNFe versao="4.00" Id="NFe{}">)"
            "<ide><cUF>35</cUF><cNF>{}</cNF><natOp>Venda</natOp><mod>{}</mod><serie>1</serie>"
            "<nNF>{}</nNF><dhEmi>20{}-{}-17T10:00:00-03:00</dhEmi><tpEmis>{}</tpEmis>"
            "<cDV>{}</cDV><tpAmb>{}</tpAmb></ide><emit><{}>{}</{}><xNome>LOJA &amp; CIA</xNome>"
            "</emit><total><ICMSTot><vNF>{}</vNF></ICMSTot></total></infNFe></NFe>",
            chave(),
            cnf,
            modelo,
            numero,
            mes.substr(0, 2),
            mes.substr(2),
            tp_emis,
            chave().back(),
            ambiente,
            inscricao.size() == 11 ? "CPF" : "CNPJ",
            inscricao,
            inscricao.size() == 11 ? "CPF" : "CNPJ",
            valor
        );
    }
};

// Of SOAP 1.2.
inline http::Request soap(Call call, const std::string& payload)
{
    const SefazService& service = sefaz_service_of(call);
    http::Request request;
    request.method = "POST";
    request.path = fmt::format("{}{}", sefaz_base, service.name);
    request.headers = {{"Content-Type", "application/soap+xml; charset=utf-8"}};
    request.body = fmt::format(
        R"(<?xml version="1.0" encoding="UTF-8"?>)"
        R"(<soap12:Envelope xmlns:soap12="http://www.w3.org/2003/05/soap-envelope"><soap12:Body>)"
        R"(<nfeDadosMsg xmlns="{}">{}</nfeDadosMsg></soap12:Body></soap12:Envelope>)",
        wsdl_space(service),
        payload
    );
    return request;
}

inline http::Request post_nfe_xml(const std::string& nfe, const std::string& sinc = "1")
{
    return soap(
        Call::emitir,
        fmt::format(
            R"(<enviNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><idLote>1</idLote>)"
            "<indSinc>{}</indSinc>{}</enviNFe>",
            sinc,
            nfe
        )
    );
}

inline http::Request post_nfe(const TestNfe& nfe)
{
    return post_nfe_xml(nfe.nfe(), nfe.sinc);
}

inline http::Request ask_nfe(const std::string& chave)
{
    return soap(
        Call::consultar,
        fmt::format(
            R"(<consSitNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><tpAmb>2</tpAmb>)"
            "<xServ>CONSULTAR</xServ><chNFe>{}</chNFe></consSitNFe>",
            chave
        )
    );
}

inline http::Request ask_recibo(const std::string& recibo)
{
    return soap(
        Call::recibo,
        fmt::format(
            R"(<consReciNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><tpAmb>2</tpAmb>)"
            "<nRec>{}</nRec></consReciNFe>",
            recibo
        )
    );
}

struct TestEvento {
    std::string chave;
    std::string protocolo;
    std::string tipo = "110111";
    std::string sequencia = "1";
    std::string autor = "00574753000100";
    std::string motivo = "Erro na emissão da nota";
    std::string substituta = {};

    // envEvento needs no namespace of its own in evento.
    std::string xml() const
    {
        return fmt::format(
            R"(<envEvento xmlns="http://www.portalfiscal.inf.br/nfe" versao="1.00"><idLote>7</idLote>)"
            R"(<evento versao="1.00"><infEvento Id="ID{0}{1}0{2}"><cOrgao>35</cOrgao><tpAmb>2</tpAmb>)"
            "<CNPJ>{3}</CNPJ><chNFe>{1}</chNFe><dhEvento>2026-11-17T10:00:00-03:00</dhEvento>"
            "<tpEvento>{0}</tpEvento><nSeqEvento>{2}</nSeqEvento><verEvento>1.00</verEvento>"
            R"(<detEvento versao="1.00"><descEvento>Cancelamento</descEvento><nProt>{4}</nProt>)"
            "<xJust>{5}</xJust>{6}</detEvento></infEvento></evento></envEvento>",
            tipo,
            chave,
            sequencia,
            autor,
            protocolo,
            motivo,
            substituta.empty() ? "" : fmt::format("<chNFeRef>{}</chNFeRef>", substituta)
        );
    }
};

inline http::Request post_evento(const TestEvento& evento)
{
    return soap(Call::cancelar, evento.xml());
}

// Of model 55 and series 1.
inline http::Request void_numbers(int first, int last, const std::string& ano = "26")
{
    return soap(
        Call::inutilizar,
        fmt::format(
            R"(<inutNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00">)"
            R"(<infInut Id="ID35{0}0057475300010055001{1:09}{2:09}"><tpAmb>2</tpAmb>)"
            "<xServ>INUTILIZAR</xServ><cUF>35</cUF><ano>{0}</ano><CNPJ>00574753000100</CNPJ>"
            "<mod>55</mod><serie>1</serie><nNFIni>{1}</nNFIni><nNFFin>{2}</nNFFin>"
            "<xJust>Falha no sistema emissor</xJust></infInut></inutNFe>",
            ano,
            first,
            last
        )
    );
}

inline http::Request ask_status()
{
    return soap(
        Call::status,
        R"(<consStatServ xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><tpAmb>2</tpAmb>)"
        "<cUF>35</cUF><xServ>STATUS</xServ></consStatServ>"
    );
}

// The texts of all elements of this name, in order.
inline std::vector<std::string> texts_of(std::string_view xml, std::string_view name)
{
    const std::string open = fmt::format("<{}>", name);
    std::vector<std::string> texts;
    for (std::size_t at = xml.find(open); at != std::string_view::npos; at = xml.find(open, at)) {
        at += open.size();
        texts.emplace_back(xml.substr(at, xml.find('<', at) - at));
    }
    return texts;
}

inline std::string text_of(std::string_view xml, std::string_view name)
{
    const auto texts = texts_of(xml, name);
    return texts.empty() ? std::string{} : texts.front();
}

}  // namespace umavez::fiscal::simulator
