#pragma once

// SefazAuthority: the tax offices of the states, for NF-e and NFC-e (SOAP 1.2, mutual TLS, layout 4.00).
//
//     NFeAutorizacao4        emit: one document, synchronously
//     NFeRetAutorizacao4     what a receipt led to, where one was given all the same
//     NFeConsultaProtocolo4  consult by the access key
//     NFeRecepcaoEvento4     cancel (110111, and 110112: another NFC-e took its place)
//     NFeInutilizacao4       void numbers
//     NFeStatusServico4      whether it works at all
//
// A document that the authority holds is compared with ours by the digest of its signature. Where it holds
// the number under another key, that key is asked about, and what is found there is not ours.
//
// Thread-safe; every call is a connection of its own.

#include "modules/fiscal/authority/authority.hpp"
#include "modules/fiscal/certificates/certificate_book.hpp"
#include "modules/fiscal/sefaz/answers.hpp"
#include "modules/fiscal/sefaz/pista.hpp"
#include "modules/fiscal/sefaz/service.hpp"

#include <umavez/time.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace umavez::fiscal::sefaz {

struct SefazOptions {
    // What has no address is not served. The operator chooses them, so private addresses are fine.
    Endpoints endpoints;
    std::string ca_file = {};  // whom to believe; empty: whom the system believes
    std::chrono::milliseconds connect_timeout = std::chrono::seconds{10};
    Duration settles_after = std::chrono::seconds{15};  // how long 217 is not believed
    Duration receipt_pause = sefaz::receipt_pause;      // before a receipt is asked about
};

class SefazAuthority final : public Authority {
public:
    // The clock outlives it.
    SefazAuthority(
        SefazOptions options,
        std::shared_ptr<const CertificateBook> certificates,
        const Clock& clock
    );

    std::string_view name() const noexcept override { return "sefaz"; }
    Result<void> check(const Subject& subject) const override;
    Said emit(const Subject& subject, Duration limit, const std::stop_token& stop) const override;

    // Up to three calls, each with the limit for itself: the receipt, the key, and another key of the number.
    // Where the receipt's service does not answer the key is asked all the same, and believed unless it is
    // absent.
    // A receipt is not asked about before its time: then the word is unknown, with a wait, and no call was
    // made.
    Said consult(const Subject& subject, Duration limit, const std::stop_token& stop)
        const override;

    Result<std::string> make_cancellation(
        const Subject& subject, const std::string& justificativa, Instant now
    ) const override;
    Result<std::string> make_substitution(
        const Subject& subject,
        const std::string& justificativa,
        const std::string& chave_substituta,
        Instant now
    ) const override;
    Said cancel(
        const Subject& subject,
        const Cancelamento& cancelamento,
        Duration limit,
        const std::stop_token& stop
    ) const override;

    Result<std::string> make_voiding(const Inutilizacao& inutilizacao) const override;
    // Whoever got no answer sends the same request again: it is answered as the first was.
    Said void_numbers(
        const Inutilizacao& inutilizacao,
        const std::string& pedido,
        Duration limit,
        const std::stop_token& stop
    ) const override;

    std::optional<bool> is_made_of(const std::string& given, const std::string& sent)
        const override;

    // A document that is still in a queue is not in the database either: 217 is believed later.
    Duration absence_settles_after() const noexcept override { return options_.settles_after; }
    // Whoever asks about one key more often is blocked (656), for an hour that begins anew with every call.
    std::uint32_t enquiries_per_hour() const noexcept override { return 10; }

    // Whether the authority works. To be asked every three minutes at most.
    struct StatusQuestion {
        std::string lugar;  // as in EndpointKey
        std::string uf;     // whose documents it is about: the same, but in a contingency
        Tipo tipo = Tipo::nfe;
        Ambiente ambiente = Ambiente::homologacao;
        std::string emitente;  // whose certificate is shown
    };
    ServiceStatus status(
        const StatusQuestion& question, Duration limit, const std::stop_token& stop
    ) const;

private:
    class Conversation;

    // misconfigured: the sentence names the setting.
    Result<void> check_endpoint(const EndpointKey& where) const;
    Result<std::string> sign_event(
        const Subject& subject,
        const std::string& justificativa,
        const std::string& chave_substituta,
        Instant now
    ) const;

    const SefazOptions options_;
    const std::shared_ptr<const CertificateBook> certificates_;
    const Clock& clock_;
};

}  // namespace umavez::fiscal::sefaz
