#include "modules/fiscal/sao_paulo/pedidos.hpp"

#include "base/base64.hpp"
#include "modules/fiscal/ids/inscricao.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/sao_paulo/names.hpp"
#include "xml/rsa.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::fiscal::sao_paulo {
namespace {

constexpr std::size_t im_width_one = 8;  // in layout 1
constexpr std::size_t im_width_max = 12;
constexpr auto sha1 = xml::SignatureAlgorithm::rsa_sha1;

// As layout 1 wants it, and layout 2 takes it.
Result<std::string> print_im(SpLayout layout, const std::string& im)
{
    if (im.size() <= im_width_one) return zero_padded(std::string_view{im}, im_width_one);
    if (layout == SpLayout::two) return im;
    return fail(
        Errc::invalid_argument,
        fmt::format("the registration {} has more than 8 digits: that takes layout 2", im)
    );
}

// Open at its Cabecalho. What stands inside of the root is of no namespace.
xml::Writer begin(std::string_view root, SpLayout layout, std::string_view emitente)
{
    xml::Writer writer;
    writer.open(root, {{"xmlns", sp_namespace}})
        .open("Cabecalho", {{"xmlns", ""}, {"Versao", to_text(layout)}})
        .open("CPFCNPJRemetente")
        .element(emitente.size() == Inscricao::cpf_length ? "CPF" : "CNPJ", emitente)
        .close();
    return writer;
}

}  // namespace

Result<std::string> make_pedido_consulta(
    SpLayout layout, std::string_view emitente, const SpRpsKey& key, const xml::SigningKey& signer
)
{
    const auto im = print_im(layout, key.im());
    if (!im) return std::unexpected(im.error());
    xml::Writer writer = begin("PedidoConsultaNFe", layout, emitente);
    writer.close()
        .open("Detalhe", {{"xmlns", ""}})
        .open("ChaveRPS")
        .element("InscricaoPrestador", *im);
    if (!key.serie().empty()) writer.element("SerieRPS", key.serie());
    writer.element("NumeroRPS", std::to_string(key.numero()));
    return xml::sign_whole(std::move(writer).finish(), signer, sha1);
}

std::string cancellation_text(const ChaveNfe& chave, std::size_t im_width)
{
    const std::size_t width = chave.im().size() > im_width ? im_width_max : im_width;
    return zero_padded(std::string_view{chave.im()}, width) + zero_padded(chave.numero(), 12);
}

Result<std::string> make_pedido_cancelamento(
    SpLayout layout,
    std::string_view emitente,
    const ChaveNfe& chave,
    const xml::SigningKey& signer,
    std::size_t im_width
)
{
    const auto im = print_im(layout, chave.im());
    if (!im) return std::unexpected(im.error());
    const auto signature =
        xml::sign_bytes(cancellation_text(chave, im_width), signer.key_pem, sha1);
    if (!signature) return std::unexpected(signature.error());
    xml::Writer writer = begin("PedidoCancelamentoNFe", layout, emitente);
    writer.element("transacao", "true")
        .close()
        .open("Detalhe", {{"xmlns", ""}})
        .open("ChaveNFe")
        .element("InscricaoPrestador", *im)
        .element("NumeroNFe", std::to_string(chave.numero()))
        .close()
        .element("AssinaturaCancelamento", to_base64(*signature));
    return xml::sign_whole(std::move(writer).finish(), signer, sha1);
}

}  // namespace umavez::fiscal::sao_paulo
