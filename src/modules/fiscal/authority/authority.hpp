#pragma once

// Authority: whoever authorises fiscal documents, as the module sees it: SEFAZ, Sefin Nacional, a city.
//
// An adapter speaks one protocol and translates every answer into one Word (word.hpp). It decides nothing:
// what a word means for a document is the table in modules/fiscal/rules/next_step.hpp. It never sends
// anything twice by itself, and never throws: what it cannot read is `unknown`.
//
// Calls block, and end early when the stop is requested. The time they are given is that of one exchange with
// the authority: a question that takes several may take as often as long. Thread-safe.

#include "modules/fiscal/authority/word.hpp"
#include "modules/fiscal/ids/tipo.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace umavez::fiscal {

// What an authority said, in its own words; for people and for the log.
struct Mensagem {
    std::string codigo;  // "E0014", "204"
    std::string descricao;
    friend bool operator==(const Mensagem&, const Mensagem&) = default;
};

// The answer to one call.
struct Said {
    Word word = Word::unknown;
    std::vector<Mensagem> mensagens = {};
    std::optional<Duration> wait = {};  // the authority's own wish, or that of its code
    std::string detail = {};            // for operators: what happened on the way
    int http_status = 0;                // 0: no answer

    // Where the word is authorised, cancelled or substituted, as far as it was told.
    std::string chave = {};  // its name there from then on
    std::string protocolo = {};
    std::string xml = {};  // the authorised document, or the registered event
    // Whether what the authority holds is what we sent. Nullopt: it does not tell.
    std::optional<bool> is_ours = {};

    // Of a call that came to no end: what was learnt on the way, such as a key or a receipt. Only the adapter
    // reads it: it is kept with the document, and the next consult goes on from there (Subject::pista).
    std::string pista = {};
    // How many exchanges with the authority it took, whatever came of them: what the rate guard counts.
    std::uint32_t exchanges = 0;
    // The authority does not take the certificate that we show: no use to try again before it is replaced.
    bool is_certificate_refused = false;
    // An earlier one of the same document was cancelled for it: somebody sent it twice.
    bool is_reissue = false;
};

// Which document, for every call. The texts are kept by the caller until the call returns.
struct Subject {
    Tipo tipo = Tipo::nfse_nacional;
    Ambiente ambiente = Ambiente::homologacao;
    std::string emitente;       // CNPJ or CPF, without punctuation: whose certificate is shown
    std::string id_autoridade;  // its name there before it is authorised: id of the DPS, access key
    std::string chave = {};     // once it is authorised
    std::string pista = {};     // or else that of Said, of the call before
    std::string protocolo = {};  // of the authorisation
    std::string xml = {};        // the exact bytes that were sent, or will be
    bool was_sent = false;       // bytes of this document left us before, these or others
};

struct Cancelamento {
    std::string justificativa;  // 15 to 255 characters
    std::string pedido;         // the signed request (make_cancellation), kept and sent unchanged
    // Of the NFC-e that took its place, where it is cancelled by substitution: then it is `substituted`.
    std::string chave_substituta = {};
};

// Numbers that were never used, and never will be.
struct Inutilizacao {
    Tipo tipo = Tipo::nfe;
    Ambiente ambiente = Ambiente::homologacao;
    std::string emitente;  // CNPJ or CPF, without punctuation
    std::string uf;        // "35", the IBGE code
    int ano = 0;           // 2026: of the voiding, and part of its name there
    std::int64_t serie = 0;
    std::int64_t primeiro = 0;
    std::int64_t ultimo = 0;
    std::string justificativa;  // 15 to 255 characters
};

class Authority {
public:
    virtual ~Authority() = default;

    virtual std::string_view name(
    ) const noexcept = 0;  // "nfse-nacional": for logs and the rate guard

    // Whether calls for this issuer can be made at all: an endpoint, a certificate that can be read, has its
    // key and is valid now. misconfigured: the sentence names the setting and the cure. Asked before anything
    // is marked as sent.
    virtual Result<void> check(const Subject& subject) const = 0;

    // To be authorised: authorised, refused, denied, exists, later, throttled, unreached, unknown.
    virtual Said emit(const Subject& subject, Duration limit, const std::stop_token& stop)
        const = 0;

    // What became of it: authorised, cancelled, substituted, under_analysis, denied, absent, throttled,
    // unreached, unknown. And refused, where an answer that was due later (a receipt) says so.
    virtual Said consult(const Subject& subject, Duration limit, const std::stop_token& stop)
        const = 0;

    // Whether what a consult gave (Said::xml of an authorised document) was made of these bytes. Nullopt:
    // that cannot be told. Asks nobody.
    virtual std::optional<bool> is_made_of(const std::string& given, const std::string& sent)
        const = 0;

    // The signed request of a cancellation, made once and kept before it is sent.
    virtual Result<std::string> make_cancellation(
        const Subject& subject, const std::string& justificativa, Instant now
    ) const = 0;

    // The same for an NFC-e whose place another one took; misconfigured where nobody takes such requests.
    virtual Result<std::string> make_substitution(
        const Subject& subject,
        const std::string& justificativa,
        const std::string& chave_substituta,
        Instant now
    ) const;

    // cancelled (or substituted), refused, exists, absent, under_analysis, later, throttled, unreached,
    // unknown.
    virtual Said cancel(
        const Subject& subject,
        const Cancelamento& cancelamento,
        Duration limit,
        const std::stop_token& stop
    ) const = 0;

    // The signed request of a voiding, made once and kept before it is sent. misconfigured where the
    // authority has no such thing.
    virtual Result<std::string> make_voiding(const Inutilizacao& inutilizacao) const;

    // voided, also where the same request was registered before; refused; exists: a number of the range is in
    // use, or a part of it voided; later, throttled, unreached, unknown. Never of a number in doubt.
    virtual Said void_numbers(
        const Inutilizacao& inutilizacao,
        const std::string& pedido,
        Duration limit,
        const std::stop_token& stop
    ) const;

    // How often one document may be asked about within an hour; 0: as often as the rate guard permits.
    virtual std::uint32_t enquiries_per_hour() const noexcept { return 0; }

    // How long after a call that may still be on its way `absent` is to be believed: then the same bytes may
    // go out again. Zero where the authority itself refuses the second of two equal documents.
    virtual Duration absence_settles_after() const noexcept = 0;
};

}  // namespace umavez::fiscal
