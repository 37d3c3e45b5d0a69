#include "modules/fiscal/sao_paulo/answers.hpp"

#include "modules/fiscal/sao_paulo/comparison.hpp"
#include "modules/fiscal/sao_paulo/elements.hpp"
#include "xml/canonical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez::fiscal::sao_paulo {
namespace {

using xml::Element;

constexpr std::string_view not_found = "1106";

// The element alone, with the namespaces that it needs.
std::string text_of(const Element& element)
{
    return to_canonical(element, xml::Canonical::exclusive);
}

// A key that is not told is no contradiction.
bool speaks_of(const std::vector<Evento>& eventos, const SpRpsKey& key)
{
    return std::ranges::all_of(eventos, [&](const Evento& evento) {
        return !evento.chave_rps || read_chave_rps(*evento.chave_rps) == key;
    });
}

bool speaks_of(const std::vector<Evento>& eventos, const ChaveNfe& chave)
{
    return std::ranges::all_of(eventos, [&](const Evento& evento) {
        if (!evento.chave_nfe) return true;
        const auto told = ChaveNfe::read(*evento.chave_nfe);
        return told && told->is_of(chave);
    });
}

// What was not done, by its codes.
Said refuse(Retorno retorno, Call call)
{
    retorno.said.word = word_of(retorno.eventos, call).value_or(Word::unknown);
    if (retorno.eventos.empty()) retorno.said.detail = "no success, and no code that tells why";
    return std::move(retorno.said);
}

// The key of the note that was made of this RPS.
std::optional<ChaveNfe> read_issued(const Element& root, const SpRpsKey& key)
{
    const auto both = find_one(root, "ChaveNFeRPS");
    if (!both) return std::nullopt;
    const auto nfe = find_one(*both, "ChaveNFe");
    const auto rps = find_one(*both, "ChaveRPS");
    if (!nfe || !rps || read_chave_rps(*rps) != key) return std::nullopt;
    return ChaveNfe::read(*nfe);
}

Said judge_issued(Retorno retorno, const SpRpsKey& key)
{
    const auto is_reissue = [](const Evento& evento) { return evento.codigo == reissued; };
    const bool was_reissued = std::erase_if(retorno.eventos, is_reissue) > 0;
    const auto alert = word_of(retorno.eventos, Call::emit);
    const Element root = retorno.document->root();
    const auto chave = read_issued(root, key);
    Said& said = retorno.said;
    if (chave && !alert) {
        said.word = Word::authorised;
        said.chave = chave->text();
        said.xml = text_of(root);
        said.is_reissue = was_reissued;
        return std::move(said);
    }
    if (was_reissued || alert == Word::exists) {
        said.word = Word::exists;
        return std::move(said);
    }
    return unknown(std::move(said), "a success without the key of a note of this RPS");
}

// One NFe of an answer.
struct Nota {
    Element element;
    ChaveNfe chave;
    std::string status;  // N, C or E
};

// Nullopt: one of them cannot be read, or is of another RPS.
std::optional<std::vector<Nota>> read_notas(const Element& root, const SpRpsKey& key)
{
    std::vector<Nota> notas;
    for (const Element& element : find_all(root, "NFe")) {
        const auto chave_nfe = find_one(element, "ChaveNFe");
        const auto chave = chave_nfe ? ChaveNfe::read(*chave_nfe) : std::nullopt;
        const auto rps = find_one(element, "ChaveRPS");
        if (!chave || (rps && read_chave_rps(*rps) != key)) return std::nullopt;
        notas.push_back({element, *chave, find_text(element, "StatusNFe")});
    }
    return notas;
}

Said tell(Said said, Word word, const Nota& nota, std::string_view sent)
{
    said.word = word;
    said.chave = nota.chave.text();
    said.xml = text_of(nota.element);
    said.is_ours = is_made_of_rps(nota.element, sent);
    return said;
}

Said tell_reissue(Said said, const Nota& before, const Nota& now)
{
    said.is_reissue = true;
    said.mensagens.push_back({
        std::string{reissued},
        fmt::format("NFS-e {} cancelada; em vigor a {}", before.chave.text(), now.chave.text()),
    });
    said.detail = fmt::format(
        "the RPS was sent again: {} was cancelled, {} is in force",
        before.chave.text(),
        now.chave.text()
    );
    return said;
}

// What became of the RPS, by all of its notes.
Said judge_notas(Said said, const std::vector<Nota>& notas, const Asked& asked)
{
    std::vector<Nota> in_force;
    std::vector<Nota> cancelled;
    for (const Nota& nota : notas) {
        if (nota.status != "N" && nota.status != "C") {
            return unknown(std::move(said), "a note is neither in force nor cancelled");
        }
        (nota.status == "N" ? in_force : cancelled).push_back(nota);
    }
    if (in_force.size() > 1)
        return unknown(std::move(said), "several notes of one RPS are in force");
    if (asked.chave) {
        const auto is_known = [&](const Nota& nota) { return nota.chave.is_of(*asked.chave); };
        const auto known = std::ranges::find_if(notas, is_known);
        if (known == notas.end()) {
            return unknown(std::move(said), "the answer has no note " + asked.chave->text());
        }
        if (known->status == "N")
            return tell(std::move(said), Word::authorised, *known, asked.sent);
        if (in_force.empty()) return tell(std::move(said), Word::cancelled, *known, asked.sent);
        said = tell(std::move(said), Word::substituted, *known, asked.sent);
        return tell_reissue(std::move(said), *known, in_force.front());
    }
    const auto numero = [](const Nota& nota) { return nota.chave.numero(); };
    const auto last = std::ranges::max_element(cancelled, {}, numero);
    if (in_force.empty()) return tell(std::move(said), Word::cancelled, *last, asked.sent);
    said = tell(std::move(said), Word::authorised, in_force.front(), asked.sent);
    if (cancelled.empty()) return said;
    return tell_reissue(std::move(said), *last, in_force.front());
}

bool is_absence(const Retorno& retorno)
{
    return retorno.sucesso == false && !retorno.eventos.empty() &&
           std::ranges::all_of(retorno.eventos, [](const Evento& evento) {
               return evento.is_erro && evento.codigo == not_found;
           });
}

}  // namespace

Said read_emission(const HttpAnswer& answer, const SpRpsKey& key)
{
    Retorno retorno = open_retorno(answer, Method::envio_rps);
    if (!retorno.document) return std::move(retorno.said);
    const Element root = retorno.document->root();
    if (!speaks_of(retorno.eventos, key)) {
        return unknown(std::move(retorno.said), "the answer speaks of another RPS");
    }
    const bool has_note = !find_all(root, "ChaveNFeRPS").empty();
    if (retorno.sucesso == false && !has_note) return refuse(std::move(retorno), Call::emit);
    if (retorno.sucesso != true || retorno.has_erro()) {
        return unknown(std::move(retorno.said), "the answer contradicts itself");
    }
    return judge_issued(std::move(retorno), key);
}

Said read_consult(const HttpAnswer& answer, const Asked& asked)
{
    Retorno retorno = open_retorno(answer, Method::consulta_nfe);
    if (!retorno.document) return std::move(retorno.said);
    if (!speaks_of(retorno.eventos, asked.key)) {
        return unknown(std::move(retorno.said), "the answer speaks of another RPS");
    }
    const auto notas = read_notas(retorno.document->root(), asked.key);
    if (!notas) {
        return unknown(std::move(retorno.said), "a note cannot be read, or is of another RPS");
    }
    if (notas->empty() && is_absence(retorno)) {
        retorno.said.word = Word::absent;
        retorno.said.mensagens.clear();  // the code is the answer, and no message for anybody
        return std::move(retorno.said);
    }
    if (notas->empty()) {
        if (retorno.eventos.empty()) retorno.said.detail = "the answer has no note, and no code";
        return std::move(retorno.said);
    }
    if (retorno.sucesso != true || retorno.has_erro()) {
        return unknown(std::move(retorno.said), "the answer contradicts itself");
    }
    return judge_notas(std::move(retorno.said), *notas, asked);
}

Said read_cancellation(const HttpAnswer& answer, const ChaveNfe& chave)
{
    Retorno retorno = open_retorno(answer, Method::cancelamento_nfe);
    if (!retorno.document) return std::move(retorno.said);
    if (!speaks_of(retorno.eventos, chave)) {
        return unknown(std::move(retorno.said), "the answer speaks of another note");
    }
    const std::string text = text_of(retorno.document->root());
    Said said;
    if (retorno.sucesso == true && !retorno.has_erro()) {
        const Word word = word_of(retorno.eventos, Call::cancel).value_or(Word::cancelled);
        said = std::move(retorno.said);
        said.word = word == Word::exists || word == Word::cancelled ? word : Word::unknown;
    } else if (retorno.sucesso == false) {
        said = refuse(std::move(retorno), Call::cancel);
    } else {
        return unknown(std::move(retorno.said), "the answer contradicts itself");
    }
    if (said.word == Word::cancelled) {
        said.chave = chave.text();
        said.xml = text;
    }
    return said;
}

}  // namespace umavez::fiscal::sao_paulo
