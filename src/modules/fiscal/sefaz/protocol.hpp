#pragma once

// protNFe: what SEFAZ has decided about one document, wherever it stands. For the files that read answers.
// Pure, thread-safe.

#include "modules/fiscal/sefaz/answers.hpp"

namespace umavez::fiscal::sefaz {

// The word of infProt, as the answer to an emission. Authorised only with the key that was sent and a
// protocol; then the document and the protocol together are the XML (nfeProc), if the digest is not another.
Said judge_protocol(Said said, const xml::Element& prot, const Sent& sent);

// Whether the digest of infProt is that of the bytes. Nullopt: one of them is not known.
std::optional<bool> is_ours(const xml::Element& prot, const Sent& sent);

// The key that a message names in its text, "… [chNFe: 3526…]", if it is another one of the same number.
std::string find_other_key(std::string_view motivo, std::string_view chave);

}  // namespace umavez::fiscal::sefaz
