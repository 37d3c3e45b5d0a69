#include "modules/fiscal/numbering/faixa.hpp"

#include "base/json_object.hpp"

namespace umavez::fiscal {

std::int64_t numero_max_of(Tipo tipo) noexcept
{
    switch (tipo) {
        case Tipo::nfe:
        case Tipo::nfce: return 999'999'999;
        case Tipo::nfse_sp: return 999'999'999'999;
        case Tipo::nfse_nacional: return 999'999'999'999'999;
    }
    return 0;
}

std::string to_json(const Faixa& faixa)
{
    JsonObject json;
    json.number("id", faixa.id)
        .text("tipo", to_text(faixa.serie.tipo))
        .text("ambiente", to_text(faixa.serie.ambiente))
        .text("emitente", faixa.serie.emitente)
        .text("serie", faixa.serie.serie)
        .number("ultimo_numero", faixa.ultimo_numero)
        .number("numero_max", faixa.numero_max)
        .boolean("bloqueado", faixa.bloqueado)
        .number("versao", faixa.versao)
        .instant("created_at", faixa.created_at)
        .instant("updated_at", faixa.updated_at);
    return json.str();
}

}  // namespace umavez::fiscal
