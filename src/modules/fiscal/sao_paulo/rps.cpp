#include "modules/fiscal/sao_paulo/rps.hpp"

#include "base/base64.hpp"
#include "base/shown.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/sao_paulo/pedido_envio.hpp"
#include "xml/rsa.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace umavez::fiscal::sao_paulo {
namespace {

constexpr std::size_t rsa_bytes_min = 128;  // 1,024 bits
constexpr std::size_t rsa_bytes_max = 512;

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, "the RPS cannot be used: " + std::move(why));
}

std::string without_blanks(std::string text)
{
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    return text;
}

// That there is no intermediary may be said (3, and 14 zeros) or left out.
std::vector<std::string> texts_of(const PedidoEnvio& pedido, const std::string& text)
{
    const bool may_say_none = !pedido.rps.intermediary && pedido.rps.taker != SpTaker::nif;
    if (!may_say_none) return {text};
    return {text, text + "3" + std::string(14, '0') + "N"};
}

Result<void> check_assinatura(const PedidoEnvio& pedido, std::string_view certificate_der)
{
    const auto signature = parse_base64(without_blanks(pedido.assinatura));
    if (!signature || signature->size() < rsa_bytes_min || signature->size() > rsa_bytes_max) {
        return refuse("Assinatura must be a signature of RSA, in base64");
    }
    const auto text = signature_text(pedido.layout, pedido.rps);
    if (!text) {
        return refuse(fmt::format("a field that Assinatura covers {}", describe(text.error()).en));
    }
    if (!pedido.is_text_known) return {};
    for (const std::string& one : texts_of(pedido, *text)) {
        const auto is_it =
            xml::is_signed_by(certificate_der, one, *signature, xml::SignatureAlgorithm::rsa_sha1);
        if (is_it && *is_it) return {};
    }
    return refuse(fmt::format(
        "Assinatura does not fit: sign \"{}\" (RSA-SHA1) with the certificate of the message",
        shown(*text)
    ));
}

}  // namespace

Result<Rps> read_rps(std::string_view text, Ambiente ambiente)
{
    const auto document = parse_pedido_envio(text);
    if (!document) return refuse(document.error().detail);
    const auto pedido = read_pedido_envio(*document);
    if (!pedido) return refuse(pedido.error().detail);
    if (pedido->rps.status != 'N') {
        return refuse(fmt::format(
            "StatusRPS must be N, not {}: of a cancelled or lost RPS no NFS-e is made",
            shown({&pedido->rps.status, 1})
        ));
    }
    const auto checked = check_whole_signature(*document);
    if (!checked) return refuse(checked.error().detail);
    if (auto fits = check_assinatura(*pedido, checked->certificate_der); !fits) {
        return std::unexpected(fits.error());
    }
    const SpRpsKey& key = pedido->rps.key;
    return Rps{
        .layout = pedido->layout,
        .ambiente = ambiente,
        .emitente = pedido->emitente,
        .serie = key.serie(),
        .numero = key.numero(),
        .id_autoridade = key.text(),
        .id_idempotencia = id_idempotencia(ambiente, key),
    };
}

}  // namespace umavez::fiscal::sao_paulo
