#include "modules/fiscal/nacional/pedido_cancelamento.hpp"

#include "base/char_set.hpp"
#include "base/rfc3339.hpp"
#include "base/shown.hpp"
#include "base/utf8.hpp"
#include "modules/fiscal/ids/nfse_event_id.hpp"
#include "modules/fiscal/nacional/dps.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

namespace umavez::fiscal::nacional {
namespace {

constexpr std::size_t reason_chars_min = 15;
constexpr std::size_t reason_chars_max = 255;
constexpr CharSet key_chars{[](unsigned char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z');
}};
constexpr std::string_view reason_other =
    "9";  // 1: issued by mistake, 2: not rendered. We have only words

// "2026-01-31T09:00:00-03:00": the schema wants an offset, and no fractions.
std::string to_local(Instant now)
{
    return to_rfc3339(now - std::chrono::hours{3}).substr(0, 19) + "-03:00";
}

std::string_view trimmed(std::string_view text)
{
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

// As the schema has it: what Latin-1 can write on one line.
Result<std::string_view> check_reason(std::string_view text)
{
    const auto refuse = [](std::string why) {
        return fail(Errc::invalid_argument, "the reason of a cancellation " + std::move(why));
    };
    text = trimmed(text);
    if (!is_utf8(text)) return refuse("must be UTF-8");
    std::size_t count = 0;
    for (std::string_view rest = text; !rest.empty(); ++count) {
        const char32_t character = take_character(rest);
        if (character < 0x20 || character > 0xff || is_control(character)) {
            return refuse("may have letters, digits and signs of Latin-1, on one line");
        }
    }
    if (count < reason_chars_min || count > reason_chars_max) {
        return refuse(fmt::format(
            "must have {} to {} characters, not {}", reason_chars_min, reason_chars_max, count
        ));
    }
    return text;
}

}  // namespace

Result<std::string> make_pedido_cancelamento(
    const PedidoCancelamento& pedido, const xml::SigningKey& key
)
{
    // Its check digit is the authority's business: it gave us the key.
    if (pedido.chave.size() != NfseKey::length || !key_chars.has_all(pedido.chave)) {
        return fail(
            Errc::invalid_argument, fmt::format("{} is no key of an NFS-e", shown(pedido.chave))
        );
    }
    const auto reason = check_reason(pedido.justificativa);
    if (!reason) return std::unexpected(reason.error());
    const std::string id = fmt::format("PRE{}{}", pedido.chave, evento_cancelamento);
    static_assert(3 + NfseKey::length + evento_cancelamento.size() == NfseEventId::length);

    xml::Writer writer;
    writer.open("pedRegEvento", {{"xmlns", nfse_namespace}, {"versao", "1.01"}})
        .open("infPedReg", {{"Id", id}})
        .element("tpAmb", pedido.ambiente == Ambiente::producao ? "1" : "2")
        .element("verAplic", "umavez")
        .element("dhEvento", to_local(pedido.now))
        .element(
            pedido.emitente.size() == Inscricao::cpf_length ? "CPFAutor" : "CNPJAutor",
            pedido.emitente
        )
        .element("chNFSe", pedido.chave)
        .open("e101101")
        .element("xDesc", "Cancelamento de NFS-e")
        .element("cMotivo", reason_other)
        .element("xMotivo", *reason);
    return sign_enveloped(std::move(writer).finish(), id, key, xml::SignatureAlgorithm::rsa_sha256);
}

}  // namespace umavez::fiscal::nacional
