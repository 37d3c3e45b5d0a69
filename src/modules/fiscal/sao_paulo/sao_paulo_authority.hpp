#pragma once

// SaoPauloAuthority: the city of São Paulo, which makes an NFS-e of an RPS (SOAP 1.2, mutual TLS).
//
//     EnvioRPS          emit
//     ConsultaNFe       by ChaveRPS: what became of it, and its note
//     CancelamentoNFe   cancel
//
// The city does not refuse an RPS that is sent again: it cancels the first note and issues a second one. So
// an emission that is not the first of its document asks before it sends, in the same call, and sends only
// when the city said that there is no note (1106).
//
// Thread-safe; every exchange is a connection of its own.

#include "modules/fiscal/authority/authority.hpp"
#include "modules/fiscal/certificates/certificate_book.hpp"
#include "modules/fiscal/sao_paulo/pedidos.hpp"

#include <umavez/time.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace umavez::fiscal::sao_paulo {

struct SaoPauloOptions {
    // Empty: this environment is not served. The city has none for tests that issues notes, so there is no
    // address of it to begin with. The operator chooses them, so private addresses are fine.
    std::string producao = "https://nfews.prefeitura.sp.gov.br/lotenfe.asmx";
    std::string homologacao = {};
    std::string ca_file = {};  // whom to believe; empty: whom the system believes
    std::chrono::milliseconds connect_timeout = std::chrono::seconds{10};
    // Of what we write ourselves about a document whose own layout is not at hand.
    SpLayout layout = SpLayout::two;
    std::size_t im_width = im_width_default;  // of the signature of a cancellation
    // Longer than an emission that nobody waits for any more can take to be seen by a question.
    Duration absence_settles_after = std::chrono::seconds{60};
    // Ask before the first emission too: another program, or this one before its database was restored, may
    // have sent the RPS.
    bool asks_always = false;
};

class SaoPauloAuthority final : public Authority {
public:
    // The clock outlives it.
    SaoPauloAuthority(
        SaoPauloOptions options,
        std::shared_ptr<const CertificateBook> certificates,
        const Clock& clock
    );

    std::string_view name() const noexcept override { return "nfse-sp"; }
    Result<void> check(const Subject& subject) const override;

    // One exchange, or two where it asks first (Subject::was_sent, asks_always), both within the limit: the
    // question gets half of it. Where that finds a note it is `exists`; where it finds nothing out
    // `throttled` or `unreached`: nothing of the emission left us. Authorised with the message 217
    // (answers.hpp): a person has to look.
    Said emit(const Subject& subject, Duration limit, const std::stop_token& stop) const override;

    Said consult(const Subject& subject, Duration limit, const std::stop_token& stop)
        const override;

    // By key, date, amount, service and taker (comparison.hpp).
    std::optional<bool> is_made_of(const std::string& given, const std::string& sent)
        const override;

    // The city takes no reason: it is kept by whoever asked.
    Result<std::string> make_cancellation(
        const Subject& subject, const std::string& justificativa, Instant now
    ) const override;
    Said cancel(
        const Subject& subject,
        const Cancelamento& cancelamento,
        Duration limit,
        const std::stop_token& stop
    ) const override;

    // Not zero: of two copies of an RPS the city would take both.
    Duration absence_settles_after() const noexcept override
    {
        return options_.absence_settles_after;
    }

private:
    class Conversation;

    const std::string& address_of(Ambiente ambiente) const noexcept;
    SpLayout layout_of(const std::string& message) const;

    const SaoPauloOptions options_;
    const std::shared_ptr<const CertificateBook> certificates_;
    const Clock& clock_;
};

}  // namespace umavez::fiscal::sao_paulo
