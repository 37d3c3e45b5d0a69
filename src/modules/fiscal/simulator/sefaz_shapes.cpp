#include "modules/fiscal/simulator/sefaz_shapes.hpp"

#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/sefaz_call.hpp"
#include "modules/fiscal/simulator/xml_scan.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::string_view nfe_space = "http://www.portalfiscal.inf.br/nfe";
constexpr std::string_view soap_space = "http://www.w3.org/2003/05/soap-envelope";

constexpr std::array<std::pair<std::string_view, std::string_view>, 54> all_words{{
    {"100", "Autorizado o uso da NF-e"},
    {"101", "Cancelamento de NF-e homologado"},
    {"102", "Inutilização de número homologado"},
    {"103", "Lote recebido com sucesso"},
    {"104", "Lote processado"},
    {"105", "Lote em processamento"},
    {"106", "Lote não localizado"},
    {"107", "Serviço em Operação"},
    {"108", "Serviço Paralisado Momentaneamente (curto prazo)"},
    {"109", "Serviço Paralisado sem Previsão"},
    {"128", "Lote de Evento Processado"},
    {"135", "Evento registrado e vinculado a NF-e"},
    {"150", "Autorizado o uso da NF-e, autorização fora de prazo"},
    {"151", "Cancelamento de NF-e homologado fora de prazo"},
    {"155", "Cancelamento homologado fora de prazo"},
    {"201", "Rejeição: Número máximo de numeração a inutilizar ultrapassou o limite"},
    {"204", "Rejeição: Duplicidade de NF-e"},
    {"206", "Rejeição: NF-e já está inutilizada na Base de dados da SEFAZ"},
    {"215", "Rejeição: Falha no schema XML"},
    {"217", "Rejeição: NF-e não consta na base de dados da SEFAZ"},
    {"218", "Rejeição: NF-e já está cancelada na base de dados da SEFAZ"},
    {"222", "Rejeição: Protocolo de Autorização de Uso difere do cadastrado"},
    {"224", "Rejeição: A faixa inicial é maior que a faixa final"},
    {"225", "Rejeição: Falha no Schema XML do lote de NFe"},
    {"228", "Rejeição: Data de Emissão muito atrasada"},
    {"236", "Rejeição: Chave de Acesso com dígito verificador inválido"},
    {"241", "Rejeição: Um número da faixa já foi utilizado"},
    {"252", "Rejeição: Ambiente informado diverge do Ambiente de recebimento"},
    {"253", "Rejeição: Digito Verificador da chave de acesso composta inválida"},
    {"256", "Rejeição: Um número da faixa já está inutilizado na Base de dados da SEFAZ"},
    {"297", "Rejeição: Assinatura difere do calculado"},
    {"452", "Rejeição: Solicitada resposta assíncrona para Lote com somente 1 NF-e"},
    {"491", "Rejeição: O tpEvento informado inválido"},
    {"493", "Rejeição: Evento não atende o Schema XML específico"},
    {"494", "Rejeição: Chave de Acesso inexistente"},
    {"501", "Rejeição: Prazo de cancelamento superior ao previsto na Legislação"},
    {"502", "Rejeição: Erro na Chave de Acesso - Campo Id não corresponde à concatenação"},
    {"526", "Rejeição: Consulta a uma Chave de Acesso muito antiga"},
    {"539", "Rejeição: Duplicidade de NF-e com diferença na Chave de Acesso"},
    {"561", "Rejeição: Mês de Emissão informado na Chave de Acesso difere do Mês da NF-e"},
    {"562", "Rejeição: Código Numérico informado na Chave de Acesso difere do da NF-e"},
    {"563", "Rejeição: Já existe pedido de Inutilização com a mesma faixa de inutilização"},
    {"572", "Rejeição: Erro Atributo ID do evento não corresponde à concatenação dos campos"},
    {"573", "Rejeição: Duplicidade de Evento"},
    {"574", "Rejeição: O autor do evento diverge do emissor da NF-e"},
    {"580", "Rejeição: O evento exige uma NF-e autorizada"},
    {"594", "Rejeição: O número de sequência do evento informado é maior que o permitido"},
    {"613", "Rejeição: Chave de Acesso difere da existente em BD"},
    {"618", "Rejeição: Chave de Acesso inválida (modelo diferente de 55 e 65)"},
    {"635", "Rejeição: NF-e com mesmo número e série já transmitida e aguardando processamento"},
    {"656", "Rejeição: Consumo Indevido"},
    {"704", "Rejeição: NFC-e com Data-Hora de emissão atrasada"},
    {"781", "Rejeição: Emissor não habilitado para emissão da NF-e"},
    {"999", "Rejeição: Erro não catalogado"},
}};

std::string_view event_name(std::string_view tipo)
{
    if (tipo == "110111") return "Cancelamento";
    if (tipo == "110112") return "Cancelamento por Substituicao";
    return "Evento";
}

class Body {
public:
    Body(const SefazAnswer& answer, const Wording& wording) : answer_(answer), wording_(wording) {}

    std::string of(Call call)
    {
        switch (call) {
            case Call::emitir: return batch("retEnviNFe");
            case Call::recibo: return batch("retConsReciNFe");
            case Call::consultar: return note();
            case Call::cancelar: return event();
            case Call::inutilizar: return range();
            case Call::status: return status();
            case Call::consultar_nota:
            case Call::consultar_evento: break;  // of Sefin Nacional
        }
        return {};
    }

private:
    bool is_odd() const { return wording_.shape == Shape::odd; }

    void open(std::string_view name, std::string_view version)
    {
        writer_.open(name, {{"versao", version}, {"xmlns", nfe_space}});
    }
    void add_head()
    {
        writer_.element("tpAmb", wording_.ambiente);
        writer_.element("verAplic", "umavez-simulador");
    }
    void add_motivo(const Motivo& motivo)
    {
        writer_.element("cStat", motivo.cstat);
        const std::string_view words = words_of(motivo.cstat);
        writer_.element(
            "xMotivo",
            motivo.detail.empty() ? std::string{words} : fmt::format("{} {}", words, motivo.detail)
        );
    }
    void add_unless_empty(std::string_view name, std::string_view text)
    {
        if (!text.empty()) writer_.element(name, text);
    }
    void add_tail()
    {
        add_unless_empty("cUF", answer_.uf);
        writer_.element("dhRecbto", to_brasilia(wording_.now));
    }

    void add_protocol(const Protocolo& protocolo)
    {
        if (is_odd()) {
            open("protNFe", "4.00");  // the namespace once more
        } else {
            writer_.open("protNFe", {{"versao", "4.00"}});
        }
        writer_.open("infProt");
        add_head();
        writer_.element("chNFe", protocolo.chave);
        writer_.element("dhRecbto", to_brasilia(protocolo.at));
        add_unless_empty("nProt", protocolo.numero);
        add_unless_empty("digVal", protocolo.digest);
        add_motivo(protocolo.motivo);
        writer_.close().close();
    }

    void add_ret_evento(const RetEvento& evento)
    {
        writer_.open("retEvento", {{"versao", "1.00"}}).open("infEvento");
        add_head();
        writer_.element("cOrgao", evento.chave.substr(0, 2));
        add_motivo(evento.motivo);
        writer_.element("chNFe", evento.chave);
        add_unless_empty("tpEvento", evento.tipo);
        writer_.element("xEvento", event_name(evento.tipo));
        writer_.element("nSeqEvento", "1");
        writer_.element("dhRegEvento", to_brasilia(evento.at));
        add_unless_empty("nProt", evento.numero);
        writer_.close().close();
    }

    std::string batch(std::string_view name)
    {
        open(name, "4.00");
        add_head();
        if (name == "retConsReciNFe") writer_.element("nRec", answer_.recibo);
        add_motivo(answer_.motivo);
        add_tail();
        if (name == "retEnviNFe" && answer_.motivo.cstat == "103") {
            writer_.open("infRec").element("nRec", answer_.recibo).element("tMed", "1").close();
        }
        if (answer_.protocolo) add_protocol(*answer_.protocolo);
        return std::move(writer_).finish();
    }

    // procEventoNFe holds the event as it was sent, so it is set in where the writer has a mark.
    std::string note()
    {
        open("retConsSitNFe", "4.00");
        add_head();
        add_motivo(answer_.motivo);
        add_tail();
        writer_.element("chNFe", answer_.chave);
        if (answer_.protocolo) add_protocol(*answer_.protocolo);
        std::vector<std::string> sent;
        for (const EventRegistered& event : answer_.registered) {
            writer_.open("procEventoNFe", {{"versao", "1.00"}});
            writer_.element("evento", fmt::format("mark-{}", sent.size()));
            sent.push_back(evento_of(event));
            add_ret_evento(
                {.motivo = {event.cstat},
                 .chave = event.chave,
                 .tipo = event.tipo,
                 .at = event.at,
                 .numero = event.protocolo}
            );
            writer_.close();
        }
        std::string text = std::move(writer_).finish();
        for (std::size_t i = 0; i < sent.size(); ++i) {
            const std::string mark = fmt::format("<evento>mark-{}</evento>", i);
            text.replace(text.find(mark), mark.size(), sent[i]);
        }
        return text;
    }

    static std::string evento_of(const EventRegistered& event)
    {
        const std::string_view sent = cut_element(event.pedido, "evento");
        if (!sent.empty()) return std::string{sent};
        // Nobody sent one: the office wrote it itself.
        return fmt::format(
            R"(<evento versao="1.00"><infEvento Id="ID{}{}01"><chNFe>{}</chNFe>)"
            "<tpEvento>{}</tpEvento><nSeqEvento>1</nSeqEvento></infEvento></evento>",
            event.tipo,
            event.chave,
            event.chave,
            event.tipo
        );
    }

    std::string event()
    {
        open("retEnvEvento", "1.00");
        writer_.element("idLote", answer_.lote);
        add_head();
        writer_.element("cOrgao", answer_.uf);
        add_motivo(answer_.motivo);
        if (answer_.evento) add_ret_evento(*answer_.evento);
        return std::move(writer_).finish();
    }

    std::string range()
    {
        open("retInutNFe", "4.00");
        writer_.open("infInut");
        add_head();
        add_motivo(answer_.motivo);
        const std::string_view id = answer_.range;
        if (id.empty()) {
            writer_.element("dhRecbto", to_brasilia(wording_.now));
            return std::move(writer_).finish();
        }
        const auto number = [&](std::size_t at, std::size_t length) {
            const std::string_view digits = id.substr(at, length);
            return digits.substr(std::min(digits.find_first_not_of('0'), length - 1));
        };
        writer_.element("cUF", id.substr(2, 2)).element("ano", id.substr(4, 2));
        writer_.element("CNPJ", id.substr(6, 14)).element("mod", id.substr(20, 2));
        writer_.element("serie", number(22, 3));
        writer_.element("nNFIni", number(25, 9)).element("nNFFin", number(34, 9));
        writer_.element("dhRecbto", to_brasilia(wording_.now));
        add_unless_empty("nProt", answer_.range_protocolo);
        return std::move(writer_).finish();
    }

    std::string status()
    {
        open("retConsStatServ", "4.00");
        add_head();
        add_motivo(answer_.motivo);
        add_tail();
        writer_.element("tMed", "1");
        return std::move(writer_).finish();
    }

    const SefazAnswer& answer_;
    const Wording& wording_;
    xml::Writer writer_;
};

http::Response soap_response(int status, std::string body)
{
    return {status, {{"Content-Type", "application/soap+xml; charset=utf-8"}}, std::move(body)};
}

}  // namespace

std::string_view words_of(std::string_view cstat) noexcept
{
    for (const auto& [known, words] : all_words) {
        if (known == cstat) return words;
    }
    return "Rejeição";
}

http::Response to_soap(const SefazAnswer& answer, Call call, const Wording& wording)
{
    const SefazService& service = sefaz_service_of(call);
    const std::string body = Body{answer, wording}.of(call);
    const bool is_odd = wording.shape == Shape::odd;
    const bool is_even = wording.turn % 2 == 0;
    const std::string_view prefix = !is_odd ? "soap" : is_even ? "env" : "S";
    const std::string result =
        is_odd && is_even ? fmt::format("{}Result", service.method) : "nfeResultMsg";
    return soap_response(
        200,
        fmt::format(
            R"(<?xml version="1.0" encoding="utf-8"?><{0}:Envelope xmlns:{0}="{1}">{2}<{0}:Body>)"
            R"(<{3} xmlns="{4}">{5}{6}</{3}></{0}:Body></{0}:Envelope>)",
            prefix,
            soap_space,
            is_odd ? fmt::format("<{}:Header/>\n", prefix) : "",
            result,
            wsdl_space(service),
            is_odd ? "\n" : "",
            body
        )
    );
}

http::Response soap_fault(std::string_view reason)
{
    return soap_response(
        500,
        fmt::format(
            R"(<soap:Envelope xmlns:soap="{}"><soap:Body><soap:Fault><soap:Code>)"
            R"(<soap:Value>soap:Sender</soap:Value></soap:Code><soap:Reason>)"
            R"(<soap:Text xml:lang="pt-BR">{}</soap:Text></soap:Reason></soap:Fault></soap:Body>)"
            "</soap:Envelope>",
            soap_space,
            xml::escape(reason)
        )
    );
}

}  // namespace umavez::fiscal::simulator
