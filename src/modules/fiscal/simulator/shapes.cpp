#include "modules/fiscal/simulator/shapes.hpp"

#include "base/json_object.hpp"
#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/packing.hpp"

namespace umavez::fiscal::simulator {
namespace {

// Emission was seen with members in PascalCase.
std::string to_json(const Erro& erro, bool is_pascal)
{
    JsonObject object;
    object.text_unless_empty(is_pascal ? "Codigo" : "codigo", erro.codigo);
    object.text(is_pascal ? "Descricao" : "descricao", erro.descricao);
    return object.str();
}

std::string to_json(const std::vector<Erro>& erros, bool is_pascal)
{
    return to_json_array(erros, [is_pascal](const Erro& erro) { return to_json(erro, is_pascal); });
}

class Body {
public:
    Body(const Answer& answer, const Wording& wording)
        : answer_(answer), is_odd_(wording.shape == Shape::odd), is_even_(wording.turn % 2 == 0)
    {
        object_.raw("tipoAmbiente", wording.ambiente)
            .text("versaoAplicativo", "umavez-simulador")
            .text("dataHoraProcessamento", to_brasilia(wording.now));
    }

    std::string of(Call call)
    {
        if (!answer_.erros.empty()) {
            add_erros(call);
        } else if (answer_.status < 300) {
            add_result(call);
        }
        return object_.str();
    }

private:
    void add_erros(Call call)
    {
        if (call == Call::emitir) {
            // An error says idDPS, a success idDps.
            object_.text_unless_empty(is_odd_ && !is_even_ ? "idDps" : "idDPS", answer_.documento);
            object_.raw("erros", to_json(answer_.erros, is_odd_));
        } else if (is_odd_) {
            object_.raw("erro", to_json(answer_.erros, false));
        } else {
            object_.raw("erro", to_json(answer_.erros.front(), false));
        }
    }

    void add_result(Call call)
    {
        switch (call) {
            case Call::emitir:
                object_.text(is_odd_ && is_even_ ? "idDPS" : "idDps", answer_.documento);
                object_.text("chaveAcesso", answer_.chave);
                object_.text("nfseXmlGZipB64", encode_base64(zip(answer_.xml)));
                object_.raw("alertas", is_odd_ ? "null" : "[]");
                return;
            case Call::consultar:
                object_.text(is_odd_ && is_even_ ? "idDPS" : "idDps", answer_.documento);
                object_.text("chaveAcesso", answer_.chave);
                if (is_odd_) object_.raw("erro", "[]");
                return;
            case Call::consultar_nota:
                object_.text("chaveAcesso", answer_.chave);
                object_.text("nfseXmlGZipB64", encode_base64(zip(answer_.xml)));
                return;
            case Call::cancelar:
                object_.text("eventoXmlGZipB64", encode_base64(zip(answer_.xml)));
                return;
            case Call::consultar_evento:
                if (is_odd_) {
                    object_.raw("eventos", '[' + evento() + ']');
                } else {
                    object_.text("eventoXmlGZipB64", encode_base64(zip(answer_.xml)));
                }
                return;
            case Call::recibo:
            case Call::inutilizar:
            case Call::status: return;  // of SEFAZ
        }
    }

    // The kind as a number or as a text, and the file in base64 twice: all of it was seen.
    std::string evento() const
    {
        JsonObject object;
        object.text("chaveAcesso", answer_.chave);
        object.raw("tipoEvento", is_even_ ? answer_.tipo : to_json_text(answer_.tipo));
        object.raw("numeroPedidoRegistroEvento", is_even_ ? "1" : "\"1\"");
        object.text("dataHoraRecebimento", to_brasilia(answer_.at).substr(0, 19));
        object.text("arquivoXml", encode_base64(encode_base64(zip(answer_.xml))));
        return object.str();
    }

    const Answer& answer_;
    bool is_odd_;
    bool is_even_;
    JsonObject object_;
};

}  // namespace

http::Response to_response(const Answer& answer, Call call, const Wording& wording)
{
    return http::json_response(answer.status, Body{answer, wording}.of(call));
}

}  // namespace umavez::fiscal::simulator
