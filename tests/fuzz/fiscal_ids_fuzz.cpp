// Hostile texts for the identifiers of fiscal documents and the tables of codes.
//
// An input is a text. Checked: parsing never fails but with a fault; what is parsed and built again from its
// parts is the same text; a document's own text is a key of the engine; and a code without a meaning has no
// word but `unknown`.

#include "modules/fiscal/authority/cstat_codes.hpp"
#include "modules/fiscal/authority/nacional_codes.hpp"
#include "modules/fiscal/authority/sao_paulo_codes.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/ids/nfse_event_id.hpp"

#include <umavez/names.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace umavez;
using namespace umavez::fiscal;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

template <typename T>
bool is_read(const Parsed<T>& parsed)
{
    if (!parsed) require(!describe(parsed.error()).en.empty(), "a fault has a sentence");
    return parsed.has_value();
}

void check_access_key(std::string_view text)
{
    const auto key = AccessKey::parse(text);
    if (!is_read(key)) return;
    require(key->text() == text, "a key is its text");
    require(AccessKey::build(key->fields()) == *key, "an access key is built from its parts");
    for (const Ambiente ambiente : {Ambiente::producao, Ambiente::homologacao}) {
        const auto id = id_idempotencia(ambiente, key->natural_key());
        require(Key::parse(id).has_value(), "an NF-e has a key");
    }
    const auto inscricao = key->find_inscricao();
    if (is_read(inscricao)) {
        require(inscricao->padded() == key->inscricao(), "an inscription stands in its key");
    }
}

void check_nacional(std::string_view text)
{
    const auto dps = DpsId::parse(text);
    if (is_read(dps)) {
        require(dps->text() == text, "an id is its text");
        require(DpsId::build(dps->fields()) == *dps, "a DPS is built from its parts");
        const auto id = id_idempotencia(Ambiente::producao, *dps);
        require(Key::parse(id).has_value(), "a DPS has a key");
    }
    const auto chave = NfseKey::parse(text);
    if (is_read(chave)) {
        require(chave->text() == text, "a key is its text");
        require(NfseKey::build(chave->fields()) == *chave, "an NFS-e key is built from its parts");
    }
    const auto event = NfseEventId::parse(text);
    if (is_read(event)) {
        require(event->text() == text, "an event's id is its text");
        require(
            NfseEventId::build(event->chave(), event->evento()) == *event,
            "an event's id is built from its parts"
        );
    }
}

void check_inscricao(std::string_view text)
{
    const auto inscricao = Inscricao::parse(text);
    if (is_read(inscricao)) {
        require(inscricao->text() == text, "an inscription is its text");
        const auto again = Inscricao::parse_padded(inscricao->kind(), inscricao->padded());
        require(again == *inscricao, "an inscription is read behind its zeros");
    }
    const std::string normal = normalise_inscricao(text);
    require(normalise_inscricao(normal) == normal, "what is normal stays so");
    if (inscricao) require(normal == text, "what is right is normal");
}

void check_rps(std::string_view text)
{
    const auto key = SpRpsKey::parse(text);
    if (!is_read(key)) return;
    require(key->text() == text, "an RPS is its text");
    require(
        SpRpsKey::make(key->im(), key->serie(), key->numero()) == *key,
        "an RPS is built from its parts"
    );
    const auto id = id_idempotencia(Ambiente::producao, *key);
    require(Key::parse(id).has_value(), "an RPS has a key");
}

void check_codes(std::string_view text)
{
    for (const Call call : {Call::emit, Call::consult, Call::cancel, Call::void_number}) {
        const auto check = [&](const CodeMeaning& meaning, std::size_t length) {
            if (meaning.meaning.empty())
                require(meaning.word == Word::unknown, "no meaning, no word");
            if (text.size() > length) require(meaning.meaning.empty(), "codes are short");
        };
        check(cstat_meaning(text, call), 3);
        check(nacional_meaning(text, call), 5);
        check(sao_paulo_meaning(text, call), 8);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    check_access_key(text);
    check_nacional(text);
    check_inscricao(text);
    check_rps(text);
    check_codes(text);
    return 0;
}
