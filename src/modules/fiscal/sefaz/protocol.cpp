#include "modules/fiscal/sefaz/protocol.hpp"

#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/sefaz/embedding.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"
#include "modules/fiscal/sefaz/pista.hpp"
#include "xml/only.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal::sefaz {
namespace {

// As it is kept for years and handed to whoever receives the goods.
std::string make_nfe_proc(std::string_view nfe, const xml::Element& prot)
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><nfeProc xmlns=\"{}\" versao=\"4.00\">{}{}"
        "</nfeProc>",
        nfe_namespace,
        root_text(nfe),
        text_of(prot)
    );
}

// All but what may differ between two keys of one number: the month, cNF, and tpEmis.
bool is_same_number(const AccessKey& one, const AccessKey& other)
{
    return one.uf() == other.uf() && one.inscricao() == other.inscricao() &&
           one.modelo() == other.modelo() && one.serie() == other.serie() &&
           one.numero() == other.numero();
}

}  // namespace

std::optional<bool> is_ours(const xml::Element& prot, const Sent& sent)
{
    const std::string told = without_blanks(prot.find_text("infProt/digVal").value_or(""));
    if (told.empty() || sent.dig_val.empty()) return std::nullopt;
    return told == sent.dig_val;
}

Said judge_protocol(Said said, const xml::Element& prot, const Sent& sent)
{
    const auto inf = only_child(prot, "infProt");
    if (!inf) return unknown(std::move(said), "its protNFe cannot be read");
    if (inf->find_text("chNFe") != sent.chave || !is_of(*inf, sent.ambiente)) {
        return unknown(std::move(said), "its protNFe speaks of another document");
    }
    const std::string protocolo = protocolo_of(*inf);
    const Mensagem mensagem = mensagem_of(*inf);
    said = judge(
        std::move(said),
        mensagem,
        Call::emit,
        protocolo.empty() ? HasProtocol::no : HasProtocol::yes
    );
    if (said.word == Word::denied) said.protocolo = protocolo;
    if (said.word == Word::exists) {
        said.pista = to_text(Pista{.outra_chave = find_other_key(mensagem.descricao, sent.chave)});
    }
    if (said.word != Word::authorised) return said;
    if (protocolo.empty()) return unknown(std::move(said), "it is authorised without a protocol");
    said.chave = sent.chave;
    said.protocolo = protocolo;
    said.is_ours = is_ours(prot, sent);
    const bool has_document = said.is_ours != false && !sent.nfe.empty();
    said.xml = has_document ? make_nfe_proc(sent.nfe, prot) : text_of(prot);
    return said;
}

std::string find_other_key(std::string_view motivo, std::string_view chave)
{
    const auto ours = AccessKey::parse(chave);
    if (!ours) return {};
    while (!motivo.empty()) {
        const std::size_t run = digits_and_capitals.count_first(motivo);
        if (run == AccessKey::length) {
            const auto found = AccessKey::parse(motivo.substr(0, run));
            if (found && *found != *ours && is_same_number(*found, *ours)) return found->text();
        }
        motivo.remove_prefix(run == 0 ? 1 : run);
    }
    return {};
}

}  // namespace umavez::fiscal::sefaz
