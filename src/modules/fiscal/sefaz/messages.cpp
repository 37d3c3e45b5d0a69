#include "modules/fiscal/sefaz/messages.hpp"

#include "modules/fiscal/sefaz/embedding.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

namespace umavez::fiscal::sefaz {

std::string_view tp_amb(Ambiente ambiente) noexcept
{
    return ambiente == Ambiente::producao ? "1" : "2";
}

std::string_view modelo(Tipo tipo) noexcept
{
    return tipo == Tipo::nfce ? "65" : "55";
}

std::string make_envi_nfe(std::string_view nfe, std::int64_t id_lote)
{
    return fmt::format(
        "<enviNFe xmlns=\"{}\" versao=\"4.00\"><idLote>{}</idLote><indSinc>1</indSinc>{}</enviNFe>",
        nfe_namespace,
        id_lote,
        root_text(nfe)
    );
}

std::string make_cons_reci(Ambiente ambiente, std::string_view recibo)
{
    xml::Writer writer;
    writer.open("consReciNFe", {{"xmlns", nfe_namespace}, {"versao", "4.00"}})
        .element("tpAmb", tp_amb(ambiente))
        .element("nRec", recibo);
    return std::move(writer).finish();
}

std::string make_cons_sit(Ambiente ambiente, std::string_view chave)
{
    xml::Writer writer;
    writer.open("consSitNFe", {{"xmlns", nfe_namespace}, {"versao", "4.00"}})
        .element("tpAmb", tp_amb(ambiente))
        .element("xServ", "CONSULTAR")
        .element("chNFe", chave);
    return std::move(writer).finish();
}

std::string make_cons_stat(Ambiente ambiente, std::string_view uf)
{
    xml::Writer writer;
    writer.open("consStatServ", {{"xmlns", nfe_namespace}, {"versao", "4.00"}})
        .element("tpAmb", tp_amb(ambiente))
        .element("cUF", uf)
        .element("xServ", "STATUS");
    return std::move(writer).finish();
}

std::string make_env_evento(std::string_view evento, std::int64_t id_lote)
{
    return fmt::format(
        "<envEvento xmlns=\"{}\" versao=\"1.00\"><idLote>{}</idLote>{}</envEvento>",
        nfe_namespace,
        id_lote,
        root_text(evento)
    );
}

}  // namespace umavez::fiscal::sefaz
