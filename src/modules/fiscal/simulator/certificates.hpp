#pragma once

// The certificates of the simulator, made once and kept in its folder with mode 0600:
//
//   ca.pem, ca.key     who signs them
//   server.pem         127.0.0.1, ::1 and localhost; certificate and key
//   client.pem         of the first issuer; certificate and key
//   client.pfx         the same, with the password `umavez`
//   client-<inscrição>.pem, .pfx   of the other issuers
//   expired.pem        of the first issuer, over since yesterday
//   stranger.pem       of the first issuer, signed by somebody else
//
// What is there is left as it is. Thread-safe, but one process at a time makes them.

#include <umavez/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

inline constexpr std::string_view pfx_password = "umavez";

struct IssuerFiles {
    std::string inscricao;
    std::string pem;
    std::string pfx;
};

struct CertificateFiles {
    std::string ca;
    std::string server;
    std::vector<IssuerFiles> issuers;
};

// `issuers` are CNPJ or CPF without punctuation; at least one.
Result<CertificateFiles> make_certificates(
    const std::string& folder, const std::vector<std::string>& issuers
);

}  // namespace umavez::fiscal::simulator
