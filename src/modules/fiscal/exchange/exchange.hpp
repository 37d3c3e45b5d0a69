#pragma once

// Exchange: the calls of an adapter about one thing, with the certificate of one issuer.
//
// It waits, and knows nothing of what is said, but for one thing that all authorities share: they may not
// take our certificate. Then it is named (Said::is_certificate_refused), and its file is read again by
// whoever asks next: a new one may be in it. Confined to its thread.

#include "modules/fiscal/authority/http_answer.hpp"
#include "modules/fiscal/certificates/certificate_book.hpp"

#include <umavez/response.hpp>
#include <umavez/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal {

// How an adapter calls, whoever it is about.
struct ExchangeTerms {
    std::string ca_file = {};     // whom to believe; empty: whom the system believes
    std::string_view ca_setting;  // where the operator says so: "fiscal.nacional.ca_file"
    std::chrono::milliseconds connect_timeout = std::chrono::seconds{10};
    std::size_t answer_bytes_max = 0;
};

struct Request {
    std::string what;  // before every sentence about it: "POST /nfse", "NFeAutorizacao4"
    std::string method = "POST";
    std::string
        url;  // empty: it has no address, and is not sent. Private ones are fine: operators choose
    std::vector<Header> headers = {};
    std::string body = {};
};

class Exchange {
public:
    // All but the terms and the issuer are kept by the caller.
    Exchange(
        const CertificateBook& certificates,
        const Clock& clock,
        ExchangeTerms terms,
        std::string_view emitente,
        const std::stop_token& stop
    );

    // One call, within the limit. `read` makes a Said of the answer; where there is none it is not called:
    // unreached or unknown.
    using Read = std::function<Said(const HttpAnswer&)>;
    Said ask(Request request, Duration limit, const Read& read);

    // What was said in the end: with the number of calls, and with the certificate if that was refused.
    Said end(Said said) const;

    // Null where the issuer has none that may be shown: then every call is unreached, as is missing().
    const CertificateBook::Certificate& certificate() const noexcept { return certificate_; }
    Said missing() const;

private:
    const CertificateBook& certificates_;
    const Clock& clock_;
    const ExchangeTerms terms_;
    const std::string emitente_;
    const std::stop_token& stop_;
    std::uint32_t count_ = 0;
    CertificateBook::Certificate certificate_;
    std::string missing_;  // why there is no certificate
};

}  // namespace umavez::fiscal
