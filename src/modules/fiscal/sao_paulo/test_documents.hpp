#pragma once

// A signed PedidoEnvioRPS and the answers of the city to it, for tests. Pure.

#include "base/base64.hpp"
#include "modules/fiscal/ids/sp_rps.hpp"
#include "modules/fiscal/sao_paulo/names.hpp"
#include "support/certificates.hpp"
#include "xml/rsa.hpp"
#include "xml/signature.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace umavez::fiscal::sao_paulo::test_documents {

inline constexpr std::string_view cnpj = "00574753000100";
inline constexpr std::string_view rps_key = "000031000000_OL03_000000000001";

inline const test::TestAuthority& issuer()
{
    static const test::TestAuthority authority;
    return authority;
}

inline const test::Issued& loja()
{
    static const test::Issued issued =
        issuer().issue({.common_name = "LOJA LTDA:00574753000100", .cnpj = std::string{cnpj}});
    return issued;
}

inline xml::SigningKey signer()
{
    return {loja().certificate_pem, loja().key_pem};
}

// The worked example of the manual; `text` is what Assinatura covers.
struct RpsWish {
    std::string versao = "1";
    std::string remetente = "<CNPJ>00574753000100</CNPJ>";
    std::string im = "31000000";
    std::string serie = "<SerieRPS>OL03</SerieRPS>";
    std::string numero = "1";
    std::string data = "2007-01-03";
    std::string status = "N";
    std::string valor = "<ValorServicos>20500</ValorServicos>";
    std::string tomador = "<CPFCNPJTomador><CPF>13167474254</CPF></CPFCNPJTomador>";
    std::string more = {};
    std::string text =
        "31000000OL03 00000000000120070103TNN00000000205000000000000050000002658100013167474254";
    std::string cabecalho_space = " xmlns=\"\"";
};

inline RpsWish layout_two()
{
    return {
        .versao = "2",
        .im = "123456789012",
        .serie = "<SerieRPS>RTNT</SerieRPS>",
        .data = "2026-01-01",
        .valor = "<ValorInicialCobrado>20500.00</ValorInicialCobrado>",
        .text =
            "123456789012RTNT 00000000000120260101TNN"
            "00000000205000000000000050000002658100013167474254",
    };
}

inline std::string sign_text(std::string_view text)
{
    const auto signature = xml::sign_bytes(text, loja().key_pem, xml::SignatureAlgorithm::rsa_sha1);
    return signature ? to_base64(*signature) : "";
}

inline std::string unsigned_rps(const RpsWish& wish = {})
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><PedidoEnvioRPS xmlns=\"{}\"><Cabecalho{} "
        "Versao=\"{}\"><CPFCNPJRemetente>{}</CPFCNPJRemetente></Cabecalho><RPS xmlns=\"\">"
        "<Assinatura>{}</Assinatura><ChaveRPS><InscricaoPrestador>{}</InscricaoPrestador>{}"
        "<NumeroRPS>{}</NumeroRPS></ChaveRPS><TipoRPS>RPS-M</TipoRPS>"
        "<DataEmissao>{}</DataEmissao><StatusRPS>{}</StatusRPS><TributacaoRPS>T</TributacaoRPS>"
        "{}<ValorDeducoes>5000</ValorDeducoes><CodigoServico>2658</CodigoServico>"
        "<AliquotaServicos>0.05</AliquotaServicos><ISSRetido>false</ISSRetido>{}"
        "<Discriminacao>Consultoria &amp; ação</Discriminacao>{}</RPS></PedidoEnvioRPS>",
        sp_namespace,
        wish.cabecalho_space,
        wish.versao,
        wish.remetente,
        sign_text(wish.text),
        wish.im,
        wish.serie,
        wish.numero,
        wish.data,
        wish.status,
        wish.valor,
        wish.tomador,
        wish.more
    );
}

inline std::string sign(const std::string& message)
{
    const auto text = xml::sign_whole(message, signer(), xml::SignatureAlgorithm::rsa_sha1);
    return text ? *text : "";
}

inline std::string make_rps(const RpsWish& wish = {})
{
    return sign(unsigned_rps(wish));
}

// What the city says, as text inside of SOAP.
inline std::string soap(std::string_view method, std::string_view retorno)
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope "
        "xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><soap:Body><{}Response "
        "xmlns=\"{}\"><RetornoXML>{}</RetornoXML></{}Response></soap:Body></soap:Envelope>",
        method,
        sp_namespace,
        xml::escape(retorno),
        method
    );
}

inline std::string retorno(std::string_view root, std::string_view sucesso, std::string_view more)
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><{} "
        "xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns=\"{}\"><Cabecalho Versao=\"1\" "
        "xmlns=\"\"><Sucesso>{}</Sucesso></Cabecalho>{}</{}>",
        root,
        sp_namespace,
        sucesso,
        more,
        root
    );
}

inline std::string evento(std::string_view kind, std::string_view code, std::string_view about = {})
{
    return fmt::format(
        "<{} xmlns=\"\"><Codigo>{}</Codigo><Descricao>mensagem {}</Descricao>{}</{}>",
        kind,
        code,
        code,
        about,
        kind
    );
}

inline std::string alerta(std::string_view code, std::string_view about = {})
{
    return evento("Alerta", code, about);
}

inline std::string erro(std::string_view code, std::string_view about = {})
{
    return evento("Erro", code, about);
}

inline std::string chave_rps(std::string_view numero = "1")
{
    return fmt::format(
        "<ChaveRPS><InscricaoPrestador>31000000</InscricaoPrestador><SerieRPS>OL03</SerieRPS>"
        "<NumeroRPS>{}</NumeroRPS></ChaveRPS>",
        numero
    );
}

inline std::string chave_nfe(std::string_view numero = "987")
{
    return fmt::format(
        "<ChaveNFe><InscricaoPrestador>31000000</InscricaoPrestador><NumeroNFe>{}</NumeroNFe>"
        "<CodigoVerificacao>ABCD1234</CodigoVerificacao></ChaveNFe>",
        numero
    );
}

inline constexpr std::string_view chave_text = "000031000000_000000000987_ABCD1234";

inline std::string issued_key()
{
    return fmt::format("<ChaveNFeRPS xmlns=\"\">{}{}</ChaveNFeRPS>", chave_nfe(), chave_rps());
}

struct NotaWish {
    std::string numero = "987";
    std::string status = "N";
    std::string rps = chave_rps();
    std::string data = "<DataEmissaoRPS>2007-01-03</DataEmissaoRPS>";
    std::string valor = "<ValorServicos>20500.00</ValorServicos>";
    std::string more = "<CPFCNPJTomador><CPF>13167474254</CPF></CPFCNPJTomador>";
};

inline std::string nota(const NotaWish& wish = {})
{
    return fmt::format(
        "<NFe xmlns=\"\"><Assinatura>AAAA</Assinatura>{}<DataEmissaoNFe>2007-01-04T10:00:00"
        "</DataEmissaoNFe>{}<TipoRPS>RPS-M</TipoRPS>{}<StatusNFe>{}</StatusNFe>{}"
        "<CodigoServico>2658</CodigoServico>{}</NFe>",
        chave_nfe(wish.numero),
        wish.rps,
        wish.data,
        wish.status,
        wish.valor,
        wish.more
    );
}

inline std::string envio_answer(std::string_view sucesso, std::string_view more)
{
    return soap("EnvioRPS", retorno("RetornoEnvioRPS", sucesso, more));
}

inline std::string consulta_answer(std::string_view sucesso, std::string_view more)
{
    return soap("ConsultaNFe", retorno("RetornoConsulta", sucesso, more));
}

inline std::string cancelamento_answer(std::string_view sucesso, std::string_view more)
{
    return soap("CancelamentoNFe", retorno("RetornoCancelamentoNFe", sucesso, more));
}

}  // namespace umavez::fiscal::sao_paulo::test_documents
