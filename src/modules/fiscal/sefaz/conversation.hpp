#pragma once

// Conversation: the calls of SefazAuthority about one thing, each within the limit. Confined to its thread.

#include "modules/fiscal/exchange/exchange.hpp"
#include "modules/fiscal/sefaz/sefaz_authority.hpp"

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace umavez::fiscal::sefaz {

class SefazAuthority::Conversation {
public:
    Conversation(
        const SefazAuthority& authority,
        std::string_view emitente,
        Duration limit,
        const std::stop_token& stop
    );

    Said ask(const EndpointKey& where, std::string_view message, const Exchange::Read& read);

    Said consult(const Subject& subject);

    Said end(Said said) const { return exchange_.end(std::move(said)); }
    Instant now() const { return authority_.clock_.realtime(); }

private:
    Recibo ask_receipt(const Subject& subject, const Sent& sent, std::string_view recibo);
    Said ask_beside(const Subject& subject, const Sent& sent, Said receipt);
    Said ask_by_key(const Subject& subject, const Sent& sent, const std::string& known);
    Situacao ask_key(const Subject& subject, const Sent& sent);
    Said ask_other(const Subject& subject, const Sent& sent, const std::string& outra_chave);

    const SefazAuthority& authority_;
    const Duration limit_;  // of each call
    Exchange exchange_;
};

}  // namespace umavez::fiscal::sefaz
