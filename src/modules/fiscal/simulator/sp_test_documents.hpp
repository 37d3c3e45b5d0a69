#pragma once

// Messages of the city of São Paulo for tests of the simulator, and the requests that carry them. Pure.

#include "http/message.hpp"
#include "modules/fiscal/simulator/sp_call.hpp"
#include "xml/document.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

inline constexpr std::string_view sp_sender =
    R"(<Cabecalho Versao="1"><CPFCNPJRemetente><CNPJ>00574753000100</CNPJ></CPFCNPJRemetente></Cabecalho>)";

struct TestRps {
    int numero = 1;
    std::string serie = "OL03";
    std::string inscricao = "31000000";
    std::string valor = "20500.00";
    std::string assinatura = "YXNzaW5hdHVyYQ==";

    std::string chave() const
    {
        return fmt::format(
            "<ChaveRPS><InscricaoPrestador>{}</InscricaoPrestador><SerieRPS>{}</SerieRPS>"
            "<NumeroRPS>{}</NumeroRPS></ChaveRPS>",
            inscricao,
            serie,
            numero
        );
    }
    std::string documento() const { return fmt::format("RPS{}-{}-{}", inscricao, serie, numero); }
    // With a prefix at its root, as in the manual.
    std::string xml() const
    {
        return fmt::format(
            R"(<?xml version="1.0" encoding="UTF-8"?><p1:PedidoEnvioRPS xmlns:p1="{}">{})"
            "<RPS><Assinatura>{}</Assinatura>{}<TipoRPS>RPS</TipoRPS>"
            "<DataEmissao>2026-11-17</DataEmissao><StatusRPS>N</StatusRPS>"
            "<ValorServicos>{}</ValorServicos><Discriminacao>Conserto &amp; manutenção"
            "</Discriminacao></RPS></p1:PedidoEnvioRPS>",
            sp_space,
            sp_sender,
            assinatura,
            chave(),
            valor
        );
    }
};

struct SpSoap {
    std::string_view space = "http://schemas.xmlsoap.org/soap/envelope/";
    bool is_cdata = false;
};

inline http::Request sp_soap(Call call, const std::string& message, const SpSoap& soap = {})
{
    http::Request request;
    request.method = "POST";
    request.path = std::string{sp_path};
    request.headers = {{"Content-Type", "text/xml; charset=utf-8"}};
    request.body = fmt::format(
        R"(<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="{}"><s:Body>)"
        R"(<{}Request xmlns="{}"><VersaoSchema>1</VersaoSchema><MensagemXML>{}</MensagemXML>)"
        "</{}Request></s:Body></s:Envelope>",
        soap.space,
        sp_method_of(call),
        sp_space,
        soap.is_cdata ? fmt::format("<![CDATA[{}]]>", message) : xml::escape(message),
        sp_method_of(call)
    );
    return request;
}

inline http::Request post_rps(const TestRps& rps)
{
    return sp_soap(Call::emitir, rps.xml());
}

inline http::Request ask_rps(const TestRps& rps)
{
    return sp_soap(
        Call::consultar,
        fmt::format(
            R"(<PedidoConsultaNFe xmlns="{}">{}<Detalhe>{}</Detalhe></PedidoConsultaNFe>)",
            sp_space,
            sp_sender,
            rps.chave()
        )
    );
}

inline std::string chave_nota(const std::string& numero)
{
    return fmt::format(
        "<ChaveNFe><InscricaoPrestador>31000000</InscricaoPrestador><NumeroNFe>{}</NumeroNFe>"
        "</ChaveNFe>",
        numero
    );
}

inline http::Request cancel_nota(
    const std::string& numero, const std::string& assinatura = "YXNzaW5hdHVyYQ=="
)
{
    return sp_soap(
        Call::cancelar,
        fmt::format(
            R"(<PedidoCancelamentoNFe xmlns="{}">{}<Detalhe>{}<AssinaturaCancelamento>{})"
            "</AssinaturaCancelamento></Detalhe></PedidoCancelamentoNFe>",
            sp_space,
            sp_sender,
            chave_nota(numero),
            assinatura
        )
    );
}

// The text of RetornoXML; empty: there is none.
inline std::string retorno_of(std::string_view body)
{
    const auto document = xml::Document::parse(body);
    if (!document) return {};
    for (const xml::Element& soap_body : document->root().children()) {
        for (const xml::Element& answer : soap_body.children()) {
            if (auto text = answer.find_text("RetornoXML")) return *std::move(text);
        }
    }
    return {};
}

}  // namespace umavez::fiscal::simulator
