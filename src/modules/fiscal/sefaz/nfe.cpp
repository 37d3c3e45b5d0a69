#include "modules/fiscal/sefaz/nfe.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/sefaz/embedding.hpp"
#include "xml/document.hpp"
#include "xml/only.hpp"
#include "xml/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez::fiscal::sefaz {
namespace {

using xml::Document;
using xml::Element;

constexpr std::string_view versao = "4.00";
constexpr std::size_t dh_emi_length = 25;  // "2026-03-03T12:17:25-03:00"

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, "the NF-e cannot be used: " + std::move(why));
}

Result<Document> read(std::string_view text)
{
    auto document = Document::parse(text, {.bytes_max = nfe_bytes_max});
    if (!document) return refuse(document.error().detail);
    const Element root = document->root();
    if (root.name() != "NFe" || root.space() != nfe_namespace) {
        return refuse(fmt::format("it is no NFe of {}", nfe_namespace));
    }
    if (!is_root_alone(text)) {
        return refuse("there is a comment or an instruction before or behind NFe: leave it out");
    }
    return document;
}

// One infNFe, one Signature, and what an NFC-e has in between. Whatever else might stand there, the
// authority could read and we would not.
Result<Element> find_covered(const Document& document)
{
    const Element root = document.root();
    const auto signatures = find_signatures(document);
    for (const Element& child : root.children()) {
        const bool is_ours = child.space() == nfe_namespace &&
                             (child.name() == "infNFe" || child.name() == "infNFeSupl");
        const bool is_signature = std::ranges::find(signatures, child) != signatures.end();
        if (is_ours || is_signature) continue;
        return refuse(fmt::format("NFe may not have {} inside", shown(child.name())));
    }
    const auto inf = only_child(root, "infNFe");
    if (!inf) return refuse(inf.error().detail);
    if (inf->attribute("versao") != versao) {
        return refuse(fmt::format("infNFe must have the versao {}", versao));
    }
    return *inf;
}

Result<Inscricao> read_issuer(const Element& inf)
{
    const auto emit = only_child(inf, "emit");
    if (!emit) return refuse(emit.error().detail);
    const bool has_cpf = emit->find("CPF").has_value();
    if (has_cpf && emit->find("CNPJ")) {
        return refuse("emit has a CNPJ and a CPF: give one of them");
    }
    const auto text = only_text(*emit, has_cpf ? "CPF" : "CNPJ");
    if (!text) return refuse(text.error().detail);
    const auto inscricao = Inscricao::parse(*text);
    if (!inscricao) {
        return refuse(fmt::format("the CNPJ or CPF of emit {}", describe(inscricao.error()).en));
    }
    return *inscricao;
}

Result<Ambiente> read_ambiente(const Element& ide)
{
    const auto text = only_text(ide, "tpAmb");
    if (!text) return refuse(text.error().detail);
    if (*text == "1") return Ambiente::producao;
    if (*text == "2") return Ambiente::homologacao;
    return refuse(fmt::format("tpAmb must be 1 or 2: {}", shown(*text)));
}

Result<Tipo> read_tipo(const Element& ide)
{
    const auto text = only_text(ide, "mod");
    if (!text) return refuse(text.error().detail);
    if (*text == "55") return Tipo::nfe;
    if (*text == "65") return Tipo::nfce;
    return refuse(fmt::format("mod must be 55 or 65: {}", shown(*text)));
}

// AAMM of "2026-03-03T12:17:25-03:00", by the clock of the issuer.
Result<std::string> read_aamm(const Element& ide)
{
    const auto text = only_text(ide, "dhEmi");
    if (!text) return refuse(text.error().detail);
    const std::string_view time = *text;
    const bool has_form = time.size() == dh_emi_length && time[4] == '-' && time[7] == '-' &&
                          time[10] == 'T' && digits.has_all(time.substr(0, 4)) &&
                          digits.has_all(time.substr(5, 2));
    if (!has_form) {
        return refuse(fmt::format("dhEmi must be like 2026-03-03T12:17:25-03:00: {}", shown(time)));
    }
    return fmt::format("{}{}", time.substr(2, 2), time.substr(5, 2));
}

Result<AccessKeyFields> read_fields(const Element& ide, const Inscricao& issuer)
{
    const auto tipo = read_tipo(ide);
    if (!tipo) return std::unexpected(tipo.error());
    const auto aamm = read_aamm(ide);
    if (!aamm) return std::unexpected(aamm.error());
    const auto uf = only_text(ide, "cUF");
    if (!uf) return refuse(uf.error().detail);
    const auto c_nf = only_text(ide, "cNF");
    if (!c_nf) return refuse(c_nf.error().detail);
    const auto serie = xml::only_number(ide, "serie", 3);
    if (!serie) return refuse(serie.error().detail);
    const auto numero = xml::only_number(ide, "nNF", 9);
    if (!numero) return refuse(numero.error().detail);
    const auto tp_emis = xml::only_number(ide, "tpEmis", 1);
    if (!tp_emis) return refuse(tp_emis.error().detail);
    return AccessKeyFields{
        .natural =
            {.tipo = *tipo,
             .uf = *uf,
             .inscricao = issuer.padded(),
             .serie = *serie,
             .numero = *numero,
             .tp_emis = static_cast<int>(*tp_emis)},
        .aamm = *aamm,
        .c_nf = *c_nf,
    };
}

// The key that the fields make, if it is the one that the document goes by.
Result<AccessKey> check_key(const Element& inf, const Element& ide, const AccessKeyFields& fields)
{
    const auto key = AccessKey::build(fields);
    if (!key) return refuse(fmt::format("its access key {}", describe(key.error()).en));
    const std::string id = inf.attribute("Id").value_or("");
    if (id != "NFe" + key->text()) {
        return refuse(fmt::format(
            "the Id of infNFe is {}, but its fields make NFe{}: let it be made of cUF, the month "
            "of dhEmi, the CNPJ or CPF of emit, mod, serie, nNF, tpEmis and cNF",
            shown(id),
            key->text()
        ));
    }
    const auto digit = only_text(ide, "cDV");
    if (!digit) return refuse(digit.error().detail);
    if (*digit != key->text().substr(AccessKey::length - 1)) {
        return refuse(fmt::format("cDV must be the last digit of the key: {}", shown(*digit)));
    }
    return *key;
}

}  // namespace

Result<Nfe> read_nfe(std::string_view text)
{
    const auto document = read(text);
    if (!document) return std::unexpected(document.error());
    const auto inf = find_covered(*document);
    if (!inf) return std::unexpected(inf.error());
    const auto ide = only_child(*inf, "ide");
    if (!ide) return refuse(ide.error().detail);
    const auto ambiente = read_ambiente(*ide);
    if (!ambiente) return std::unexpected(ambiente.error());
    const auto issuer = read_issuer(*inf);
    if (!issuer) return std::unexpected(issuer.error());
    const auto fields = read_fields(*ide, *issuer);
    if (!fields) return std::unexpected(fields.error());
    const auto key = check_key(*inf, *ide, *fields);
    if (!key) return std::unexpected(key.error());
    const auto checked = check_signature(*document, *inf);
    if (!checked) return refuse(checked.error().detail);
    return Nfe{
        .chave = *key,
        .ambiente = *ambiente,
        .emitente = issuer->text(),
        .serie = fields->natural.serie,
        .numero = fields->natural.numero,
        .tp_emis = fields->natural.tp_emis,
        .dh_emi = ide->find_text("dhEmi").value_or(""),
        .dig_val = checked->digest,
        .id_idempotencia = id_idempotencia(*ambiente, key->natural_key()),
    };
}

Result<std::string> find_dig_val(std::string_view nfe)
{
    const auto document = read(nfe);
    if (!document) return std::unexpected(document.error());
    const auto signatures = find_signatures(*document);
    if (signatures.size() != 1) return refuse("it has no Signature, or several");
    std::string digest =
        without_blanks(signatures.front().find_text("SignedInfo/Reference/DigestValue").value_or("")
        );
    if (digest.empty()) return refuse("its Signature has no DigestValue");
    return digest;
}

}  // namespace umavez::fiscal::sefaz
