#pragma once

// Whose certificate of ICP-Brasil it is. Pure, thread-safe.

#include <openssl/x509.h>

#include <optional>
#include <string>

namespace umavez::outbound {

// The CNPJ of a company: the other name 2.16.76.1.3.3 of the certificate (DOC-ICP-04), or the end of the
// common name, "LOJA LTDA:12345678000195", which is also where a person's CPF stands. Nullopt: neither.
std::optional<std::string> find_inscricao(const X509& certificate);

}  // namespace umavez::outbound
