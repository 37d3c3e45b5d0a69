#include "modules/fiscal/nacional/dps.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/ids/dps_id.hpp"
#include "xml/canonical.hpp"
#include "xml/document.hpp"
#include "xml/only.hpp"
#include "xml/signature.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal::nacional {
namespace {

using xml::Canonical;
using xml::Document;
using xml::Element;
using xml::only_child;
using xml::only_number;
using xml::only_text;

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, "the DPS cannot be used: " + std::move(why));
}

bool has_child(const Element& parent, std::string_view name)
{
    return parent.find(name).has_value();
}

Result<Document> read(std::string_view text, std::string_view root)
{
    auto document = Document::parse(text, {.bytes_max = dps_bytes_max});
    if (!document) return refuse(document.error().detail);
    const Element top = document->root();
    if (top.name() != root || top.space() != nfse_namespace) {
        return refuse(fmt::format("it is no {} of {}", root, nfse_namespace));
    }
    return document;
}

// Who emits: the provider of the service, or by `tpEmit` its taker or the one in between.
Result<Inscricao> read_issuer(const Element& inf)
{
    const std::string kind = inf.find_text("tpEmit").value_or("1");
    const std::string_view who = kind == "2" ? "toma" : kind == "3" ? "interm" : "prest";
    const auto party = only_child(inf, who);
    if (!party) return refuse(party.error().detail);
    if (has_child(*party, "CNPJ") && has_child(*party, "CPF")) {
        return refuse(fmt::format("{} has a CNPJ and a CPF: give one of them", who));
    }
    const auto text = only_text(*party, has_child(*party, "CPF") ? "CPF" : "CNPJ");
    if (!text) return refuse(text.error().detail);
    const auto inscricao = Inscricao::parse(*text);
    if (!inscricao) {
        return refuse(fmt::format("the CNPJ or CPF of {} {}", who, describe(inscricao.error()).en));
    }
    return *inscricao;
}

Result<Ambiente> read_ambiente(const Element& inf)
{
    const auto text = only_text(inf, "tpAmb");
    if (!text) return refuse(text.error().detail);
    if (*text == "1") return Ambiente::producao;
    if (*text == "2") return Ambiente::homologacao;
    return refuse(fmt::format("tpAmb must be 1 or 2: {}", shown(*text)));
}

Result<DpsIdFields> read_fields(const Element& inf)
{
    const auto municipio = only_text(inf, "cLocEmi");
    if (!municipio) return refuse(municipio.error().detail);
    const auto inscricao = read_issuer(inf);
    if (!inscricao) return std::unexpected(inscricao.error());
    const auto serie = only_number(inf, "serie", 5);
    if (!serie) return refuse(serie.error().detail);
    const auto numero = only_number(inf, "nDPS", 15);
    if (!numero) return refuse(numero.error().detail);
    return DpsIdFields{*municipio, *inscricao, *serie, *numero};
}

// What the signature of a DPS covers, in a form in which equal things are equal bytes.
struct Content {
    std::string canonical;
    std::string digest;  // as its signature tells it, if it has one
};

Content content_of(const Element& dps)
{
    Content content;
    if (const auto inf = dps.find("infDPS")) {
        content.canonical = to_canonical(*inf, Canonical::exclusive);
    }
    for (const Element& child : dps.children()) {
        if (child.name() != "Signature") continue;
        content.digest = child.find_text("SignedInfo/Reference/DigestValue").value_or("");
    }
    return content;
}

}  // namespace

Result<Dps> read_dps(std::string_view text)
{
    const auto document = read(text, "DPS");
    if (!document) return std::unexpected(document.error());
    const auto inf = only_child(document->root(), "infDPS");
    if (!inf) return refuse(inf.error().detail);
    const auto ambiente = read_ambiente(*inf);
    if (!ambiente) return std::unexpected(ambiente.error());
    const auto fields = read_fields(*inf);
    if (!fields) return std::unexpected(fields.error());
    const auto id = DpsId::build(*fields);
    if (!id) return refuse(fmt::format("its identification {}", describe(id.error()).en));
    const std::string written = inf->attribute("Id").value_or("");
    if (written != id->text()) {
        return refuse(fmt::format(
            "the Id of infDPS is {}, but its fields make {}: let it be made of cLocEmi, the CPF "
            "(1) or "
            "CNPJ (2), serie and nDPS",
            shown(written),
            id->text()
        ));
    }
    const bool is_signed = !find_signatures(*document).empty();
    if (is_signed) {
        if (const auto checked = check_signature(*document, *inf); !checked) {
            return refuse(checked.error().detail);
        }
    }
    return Dps{
        .id = id->text(),
        .ambiente = *ambiente,
        .municipio = fields->municipio,
        .emitente = fields->inscricao.text(),
        .serie = std::to_string(fields->serie),
        .numero = fields->numero,
        .is_signed = is_signed,
        .chave_substituida = inf->find_text("subst/chSubstda").value_or(""),
    };
}

Result<bool> is_same_dps(std::string_view sent_dps, std::string_view nfse)
{
    const auto sent = read(sent_dps, "DPS");
    if (!sent) return std::unexpected(sent.error());
    const auto kept = read(nfse, "NFSe");
    if (!kept) return std::unexpected(kept.error());
    const auto inside = kept->root().find("infNFSe/DPS");
    if (!inside) return refuse("the NFS-e has no DPS inside");
    const Content ours = content_of(sent->root());
    const Content theirs = content_of(*inside);
    const bool has_same_digest = !ours.digest.empty() && ours.digest == theirs.digest;
    return has_same_digest || (!ours.canonical.empty() && ours.canonical == theirs.canonical);
}

}  // namespace umavez::fiscal::nacional
