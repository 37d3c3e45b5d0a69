#pragma once

// NacionalAuthority: Sefin Nacional, which makes an NFS-e of a DPS (REST, JSON with XML inside, mutual TLS).
//
//     POST /nfse                            emit
//     GET  /dps/{id}, HEAD /dps/{id}        is there an NFS-e of this DPS, and which
//     GET  /nfse/{chave}                    the NFS-e, to compare with what was sent
//     POST /nfse/{chave}/eventos            cancel (101101)
//     GET  /nfse/{chave}/eventos/{tipo}/1   what became of it: an NFS-e itself does not tell
//
// Thread-safe; every call is a connection of its own.

#include "modules/fiscal/authority/authority.hpp"
#include "modules/fiscal/certificates/certificate_book.hpp"
#include "outbound/call.hpp"

#include <umavez/time.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace umavez::fiscal::nacional {

struct NacionalOptions {
    // Without a slash at the end; empty: this environment is not served. The operator chooses them, so
    // private addresses are fine.
    std::string producao = "https://sefin.nfse.gov.br/SefinNacional";
    std::string homologacao = "https://sefin.producaorestrita.nfse.gov.br/SefinNacional";
    std::string ca_file = {};  // whom to believe; empty: whom the system believes
    std::chrono::milliseconds connect_timeout = std::chrono::seconds{10};
};

class NacionalAuthority final : public Authority {
public:
    // The clock outlives it.
    NacionalAuthority(
        NacionalOptions options,
        std::shared_ptr<const CertificateBook> certificates,
        const Clock& clock
    );

    std::string_view name() const noexcept override { return "nfse-nacional"; }
    Result<void> check(const Subject& subject) const override;
    Said emit(const Subject& subject, Duration limit, const std::stop_token& stop) const override;

    // Up to seven calls, each with the limit for itself: in a slow hour of the authority every one of them
    // may need most of it. Where the key is not known yet, or was only seen, the NFS-e is fetched as well,
    // and compared with what was sent.
    Said consult(const Subject& subject, Duration limit, const std::stop_token& stop)
        const override;

    std::optional<bool> is_made_of(const std::string& given, const std::string& sent)
        const override;
    Result<std::string> make_cancellation(
        const Subject& subject, const std::string& justificativa, Instant now
    ) const override;
    Said cancel(
        const Subject& subject,
        const Cancelamento& cancelamento,
        Duration limit,
        const std::stop_token& stop
    ) const override;

    // Zero: the authority takes one DPS of an id and refuses a second (E0014). Where the first is still on
    // its way when we send the same bytes again, one of the two is refused, and the answer `exists` is
    // consulted.
    Duration absence_settles_after() const noexcept override { return Duration{0}; }

private:
    class Conversation;

    const std::string& base_of(Ambiente ambiente) const noexcept;

    const NacionalOptions options_;
    const std::shared_ptr<const CertificateBook> certificates_;
    const Clock& clock_;
};

}  // namespace umavez::fiscal::nacional
