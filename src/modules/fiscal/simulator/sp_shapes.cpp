#include "modules/fiscal/simulator/sp_shapes.hpp"

#include "base/digest.hpp"
#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/sp_call.hpp"
#include "modules/fiscal/simulator/sp_documents.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::string_view soap_11 = "http://schemas.xmlsoap.org/soap/envelope/";

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> all_words{{
    {"217", "RPS já convertido em NFS-e: a NFS-e anterior foi cancelada e outra foi emitida"},
    {"218", "RPS não pode ser reenviado: a NFS-e está em guia de recolhimento"},
    {"1001", "XML não compatível com Schema"},
    {"1002", "Versão do Schema inválida"},
    {"1101", "A mensagem excede 500 KB"},
    {"1102", "Mensagem XML vazia"},
    {"1106", "NFS-e não encontrada"},
    {"1206", "Assinatura Digital do RPS incorreta"},
    {"1301", "NFS-e já cancelada"},
    {"1305", "Assinatura de cancelamento da NFS-e incorreta"},
    {"1306", "NFS-e não foi gerada por Web Service"},
}};

std::string_view words_of_aviso(std::string_view codigo)
{
    for (const auto& [known, words] : all_words) {
        if (known == codigo) return words;
    }
    return "Erro";
}

std::string verification_code(std::string_view chave)
{
    constexpr std::size_t length = 8;
    std::string code = to_hex(sha256(chave)).substr(0, length);
    for (char& letter : code) {
        if (letter >= 'a') letter = static_cast<char>(letter - 'a' + 'A');
    }
    return code;
}

class Retorno {
public:
    Retorno(const SpAnswer& answer, bool is_qualified)
        : answer_(answer), is_qualified_(is_qualified)
    {
    }

    std::string of(Call call)
    {
        const std::string_view root = call == Call::emitir      ? "RetornoEnvioRPS"
                                      : call == Call::consultar ? "RetornoConsulta"
                                                                : "RetornoCancelamentoNFe";
        writer_.open(root, {{"xmlns", sp_space}});
        if (is_qualified_) {
            writer_.open("Cabecalho", {{"Versao", "1"}});
        } else {
            writer_.open("Cabecalho", {{"Versao", "1"}, {"xmlns", ""}});
        }
        writer_.element("Sucesso", answer_.is_success ? "true" : "false").close();
        for (const Aviso& aviso : answer_.avisos) {
            open(aviso.is_alert ? "Alerta" : "Erro");
            writer_.element("Codigo", aviso.codigo);
            writer_.element("Descricao", words_of_aviso(aviso.codigo)).close();
        }
        for (const Note& note : answer_.notes) {
            if (call == Call::emitir) {
                open("ChaveNFeRPS");
                add_chave_nfe(note.authorised);
                add_chave_rps(*read_rps(note.authorised.xml));
                writer_.close();
            } else {
                add_note(note);
            }
        }
        return std::move(writer_).finish();
    }

private:
    void open(std::string_view name)
    {
        if (is_qualified_) {
            writer_.open(name);
        } else {
            writer_.open(name, {{"xmlns", ""}});
        }
    }

    void add_chave_nfe(const Authorised& authorised)
    {
        writer_.open("ChaveNFe");
        writer_.element("InscricaoPrestador", authorised.inscricao);
        writer_.element("NumeroNFe", std::to_string(authorised.numero));
        writer_.element("CodigoVerificacao", verification_code(authorised.chave)).close();
    }
    void add_chave_rps(const Rps& rps)
    {
        writer_.open("ChaveRPS");
        writer_.element("InscricaoPrestador", rps.chave.inscricao);
        writer_.element("SerieRPS", rps.chave.serie);
        writer_.element("NumeroRPS", rps.chave.numero).close();
    }

    void add_note(const Note& note)
    {
        constexpr std::size_t up_to_seconds = 19;
        const auto rps = read_rps(note.authorised.xml);
        const auto cancelled = note.events.find(sp_cancelled);
        open("NFe");
        add_chave_nfe(note.authorised);
        writer_.element("DataEmissaoNFe", to_brasilia(note.authorised.at).substr(0, up_to_seconds));
        add_chave_rps(*rps);
        writer_.element("TipoRPS", rps->tipo);
        writer_.element("DataEmissaoRPS", rps->data);
        writer_.element("StatusNFe", cancelled == note.events.end() ? "N" : "C");
        if (cancelled != note.events.end()) {
            writer_.element(
                "DataCancelamento", to_brasilia(cancelled->second.at).substr(0, up_to_seconds)
            );
        }
        writer_.element("ValorServicos", rps->valor).close();
    }

    const SpAnswer& answer_;
    bool is_qualified_;
    xml::Writer writer_;
};

http::Response in_envelope(int status, std::string_view envelope, std::string_view body)
{
    const std::string_view type = envelope == soap_11 ? "text/xml" : "application/soap+xml";
    return {
        status,
        {{"Content-Type", fmt::format("{}; charset=utf-8", type)}},
        fmt::format(
            R"(<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="{}"><soap:Body>{})"
            "</soap:Body></soap:Envelope>",
            envelope,
            body
        )
    };
}

}  // namespace

http::Response to_sp_soap(const SpAnswer& answer, const Asked& asked, const Wording& wording)
{
    const bool is_odd = wording.shape == Shape::odd;
    const std::string text = fmt::format(
        R"(<?xml version="1.0" encoding="UTF-8"?>{})",
        Retorno{answer, is_odd && wording.turn % 2 == 0}.of(asked.call)
    );
    return in_envelope(
        200,
        asked.envelope,
        fmt::format(
            R"(<{0}Response xmlns="{1}"><RetornoXML>{2}</RetornoXML></{0}Response>)",
            sp_method_of(asked.call),
            sp_space,
            is_odd ? fmt::format("<![CDATA[{}]]>", text) : xml::escape(text)
        )
    );
}

http::Response sp_fault(std::string_view envelope, std::string_view reason)
{
    const bool is_new = !envelope.empty() && envelope != soap_11;
    const std::string words = xml::escape(reason);
    return in_envelope(
        500,
        is_new ? envelope : soap_11,
        is_new ? fmt::format(
                     "<soap:Fault><soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code>"
                     R"(<soap:Reason><soap:Text xml:lang="pt-BR">{}</soap:Text></soap:Reason>)"
                     "</soap:Fault>",
                     words
                 )
               : fmt::format(
                     "<soap:Fault><faultcode>soap:Server</faultcode><faultstring>{}</faultstring>"
                     "</soap:Fault>",
                     words
                 )
    );
}

}  // namespace umavez::fiscal::simulator
