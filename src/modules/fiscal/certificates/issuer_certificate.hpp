#pragma once

// Whether a certificate may be shown in the name of an issuer, and what is said where it may not. Sentences
// name what is wrong and the cure. Pure, thread-safe.

#include "outbound/client_certificate.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal {

// misconfigured: it is over, not valid yet, or somebody else's. That of a company speaks for its branches,
// whose CNPJ has the same root; one that does not tell whose it is may be anybody's.
Result<void> check_certificate(
    const outbound::ClientCertificate& certificate, std::string_view emitente, Instant now
);

// What to know of one that may be shown: it is over within 30 days, or does not tell whose it is.
std::vector<std::string> find_warnings(
    const outbound::ClientCertificate& certificate, std::string_view emitente, Instant now
);

// Where the authority does not take it; `why` is how that was told. Without a path, since clients read it,
// and with what matters most at both ends, since long texts are cut in the middle.
std::string describe_refusal(
    const outbound::ClientCertificate& certificate, std::string_view emitente, std::string_view why
);

}  // namespace umavez::fiscal
