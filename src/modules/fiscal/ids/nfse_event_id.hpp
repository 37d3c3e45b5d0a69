#pragma once

// NfseEventId: the id of the request of an event on an NFS-e Nacional. Immutable after construction.
//
//     PRE · key of the NFS-e 50 · code of the event 6          (59 characters, rule E1827)
//
// Older schemas had three digits more, a sequence; what the authority registers still has them (`EVT`, 62).

#include "modules/fiscal/ids/nfse_key.hpp"

namespace umavez::fiscal {

// Codes of events that matter to a document's state.
inline constexpr std::string_view evento_cancelamento = "101101";
inline constexpr std::string_view evento_substituicao = "105102";  // made by the authority itself
inline constexpr std::string_view evento_analise_pedida = "101103";
inline constexpr std::string_view evento_analise_deferida = "105104";    // cancelled
inline constexpr std::string_view evento_analise_indeferida = "105105";  // stays authorised

class NfseEventId {
public:
    static constexpr std::size_t length = 59;

    static Parsed<NfseEventId> parse(std::string_view text);
    static Parsed<NfseEventId> build(const NfseKey& chave, std::string_view evento);

    const std::string& text() const noexcept { return text_; }
    NfseKey chave() const;
    std::string_view evento() const noexcept { return std::string_view{text_}.substr(53, 6); }
    friend auto operator<=>(const NfseEventId&, const NfseEventId&) = default;

private:
    explicit NfseEventId(std::string text) noexcept : text_(std::move(text)) {}
    std::string text_;
};

}  // namespace umavez::fiscal
