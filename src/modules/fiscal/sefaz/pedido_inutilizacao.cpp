#include "modules/fiscal/sefaz/pedido_inutilizacao.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/sefaz/messages.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"
#include "modules/fiscal/sefaz/reason.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

namespace umavez::fiscal::sefaz {
namespace {

constexpr int ano_min = 2006;  // of the first NF-e
constexpr int ano_max = 2099;
constexpr std::int64_t serie_max = 999;
constexpr std::int64_t numero_max = 999'999'999;

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, "these numbers cannot be voided: " + std::move(why));
}

Result<void> check(const Inutilizacao& asked)
{
    if (asked.tipo != Tipo::nfe && asked.tipo != Tipo::nfce) {
        return refuse("only those of NF-e and NFC-e are");
    }
    if (!is_uf(asked.uf)) {
        return refuse(fmt::format("uf must be the IBGE code of a state: {}", shown(asked.uf)));
    }
    if (asked.ano < ano_min || asked.ano > ano_max) {
        return refuse(fmt::format("ano must be {} to {}: {}", ano_min, ano_max, asked.ano));
    }
    if (asked.serie < 0 || asked.serie > serie_max) {
        return refuse(fmt::format("serie must be 0 to {}: {}", serie_max, asked.serie));
    }
    if (asked.primeiro < 1 || asked.ultimo > numero_max || asked.primeiro > asked.ultimo) {
        return refuse(fmt::format(
            "they must be 1 to {}, the first not above the last: {} to {}",
            numero_max,
            asked.primeiro,
            asked.ultimo
        ));
    }
    return {};
}

}  // namespace

Result<std::string> make_pedido_inutilizacao(const Inutilizacao& asked, const xml::SigningKey& key)
{
    if (auto checked = check(asked); !checked) return std::unexpected(checked.error());
    const auto issuer = Inscricao::parse(asked.emitente);
    if (!issuer) return refuse(fmt::format("the issuer {}", describe(issuer.error()).en));
    const auto reason = check_reason(asked.justificativa);
    if (!reason) return std::unexpected(reason.error());
    const std::string ano = zero_padded(asked.ano % 100, 2);
    const std::string id = fmt::format(
        "ID{}{}{}{}{}{}{}",
        asked.uf,
        ano,
        issuer->padded(),
        modelo(asked.tipo),
        zero_padded(asked.serie, 3),
        zero_padded(asked.primeiro, 9),
        zero_padded(asked.ultimo, 9)
    );

    xml::Writer writer;
    writer.open("inutNFe", {{"xmlns", nfe_namespace}, {"versao", "4.00"}})
        .open("infInut", {{"Id", id}})
        .element("tpAmb", tp_amb(asked.ambiente))
        .element("xServ", "INUTILIZAR")
        .element("cUF", asked.uf)
        .element("ano", ano)
        .element(issuer->kind() == InscricaoKind::cpf ? "CPF" : "CNPJ", issuer->text())
        .element("mod", modelo(asked.tipo))
        .element("serie", std::to_string(asked.serie))
        .element("nNFIni", std::to_string(asked.primeiro))
        .element("nNFFin", std::to_string(asked.ultimo))
        .element("xJust", *reason);
    return sign_enveloped(std::move(writer).finish(), id, key, xml::SignatureAlgorithm::rsa_sha1);
}

}  // namespace umavez::fiscal::sefaz
