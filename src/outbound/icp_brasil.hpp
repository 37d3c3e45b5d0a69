#pragma once

// Whose certificate it is, by the rules of ICP-Brasil. Pure, thread-safe.

#include <openssl/x509.h>

#include <optional>
#include <string>

namespace umavez::outbound {

// In UTF-8; "" where it has none.
std::string find_common_name(const X509& certificate);

// The CNPJ of a company: the other name 2.16.76.1.3.3 of the certificate (DOC-ICP-04), or the end of the
// common name, "LOJA LTDA:12345678000195". The CPF of a person: the end of the common name as well, or in
// 2.16.76.1.3.1 behind the day of birth. Nullopt: none of them.
std::optional<std::string> find_inscricao(const X509& certificate);

}  // namespace umavez::outbound
