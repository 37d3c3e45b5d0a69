#include "modules/fiscal/sefaz/pedido_evento.hpp"

#include "base/rfc3339.hpp"
#include "base/shown.hpp"
#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/sefaz/answers.hpp"
#include "modules/fiscal/sefaz/messages.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"
#include "modules/fiscal/sefaz/reason.hpp"
#include "xml/document.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

namespace umavez::fiscal::sefaz {
namespace {

constexpr std::string_view sequence = "1";

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, std::move(why));
}

// "2026-01-31T09:00:00-03:00": the schema wants an offset, and no fractions.
std::string to_local(Instant now)
{
    return to_rfc3339(now - std::chrono::hours{3}).substr(0, 19) + "-03:00";
}

Result<AccessKey> read_key(std::string_view text, std::string_view what)
{
    const auto key = AccessKey::parse(text);
    if (!key) return refuse(fmt::format("{} {}", what, describe(key.error()).en));
    return *key;
}

Result<void> check_substitute(const AccessKey& key, const PedidoEvento& pedido)
{
    const auto substitute = read_key(pedido.chave_substituta, "the key of the substitute");
    if (!substitute) return std::unexpected(substitute.error());
    if (key.tipo() != Tipo::nfce || substitute->tipo() != Tipo::nfce) {
        return refuse("only an NFC-e is cancelled by substitution, and by an NFC-e");
    }
    if (*substitute == key || substitute->inscricao() != key.inscricao()) {
        return refuse("the substitute must be another document of the same issuer");
    }
    return {};
}

void write_detail(
    xml::Writer& writer, const AccessKey& key, const PedidoEvento& pedido, std::string_view reason
)
{
    writer.open("detEvento", {{"versao", "1.00"}});
    if (pedido.chave_substituta.empty()) {
        writer.element("descEvento", "Cancelamento")
            .element("nProt", pedido.protocolo)
            .element("xJust", reason);
    } else {
        writer.element("descEvento", "Cancelamento por substituicao")
            .element("cOrgaoAutor", key.uf())
            .element("tpAutor", "1")  // the issuer
            .element("verAplic", "umavez")
            .element("nProt", pedido.protocolo)
            .element("xJust", reason)
            .element("chNFeRef", pedido.chave_substituta);
    }
}

}  // namespace

Result<std::string> make_pedido_evento(const PedidoEvento& pedido, const xml::SigningKey& signer)
{
    const auto key = read_key(pedido.chave, "the access key");
    if (!key) return std::unexpected(key.error());
    if (!pedido.chave_substituta.empty()) {
        if (auto checked = check_substitute(*key, pedido); !checked) {
            return std::unexpected(checked.error());
        }
    }
    if (pedido.protocolo.empty() || !digits.has_all(pedido.protocolo)) {
        return refuse(fmt::format(
            "the protocol of the authorisation must have digits only: {}", shown(pedido.protocolo)
        ));
    }
    const auto reason = check_reason(pedido.justificativa);
    if (!reason) return std::unexpected(reason.error());
    const std::string_view kind =
        pedido.chave_substituta.empty() ? evento_cancelamento : evento_substituicao;
    const std::string id = fmt::format("ID{}{}0{}", kind, pedido.chave, sequence);

    xml::Writer writer;
    writer.open("evento", {{"xmlns", nfe_namespace}, {"versao", "1.00"}})
        .open("infEvento", {{"Id", id}})
        .element("cOrgao", key->uf())
        .element("tpAmb", tp_amb(pedido.ambiente))
        .element(pedido.emitente.size() == Inscricao::cpf_length ? "CPF" : "CNPJ", pedido.emitente)
        .element("chNFe", pedido.chave)
        .element("dhEvento", to_local(pedido.now))
        .element("tpEvento", kind)
        .element("nSeqEvento", sequence)
        .element("verEvento", "1.00");
    write_detail(writer, *key, pedido, *reason);
    return sign_enveloped(
        std::move(writer).finish(), id, signer, xml::SignatureAlgorithm::rsa_sha1
    );
}

std::optional<std::string> find_tp_evento(std::string_view pedido)
{
    const auto document = xml::Document::parse(pedido);
    return document ? document->root().find_text("infEvento/tpEvento") : std::nullopt;
}

}  // namespace umavez::fiscal::sefaz
