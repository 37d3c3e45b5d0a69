#pragma once

// Certificates for tests, made on the spot: an authority of its own, and what it issues. Confined to the
// test.

#include <chrono>
#include <memory>
#include <string>

namespace umavez::test {

struct Issued {
    std::string certificate_pem;
    std::string key_pem;
};

struct CertificateWish {
    std::string common_name = "localhost";
    std::string cnpj = {};  // as the other name of ICP-Brasil, if there is one
    std::string cpf = {};   // likewise
    std::chrono::seconds from = std::chrono::hours{-1};
    std::chrono::seconds until = std::chrono::hours{1};
    unsigned bits = 2048;  // of an RSA key, as signatures in XML want it
};

class TestAuthority {
public:
    explicit TestAuthority(const std::string& name = "Test Authority");
    ~TestAuthority();
    TestAuthority(const TestAuthority&) = delete;
    TestAuthority& operator=(const TestAuthority&) = delete;

    const std::string& pem() const noexcept { return pem_; }
    // That of a server, "localhost", has a key of a curve.
    Issued issue(const CertificateWish& wish) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
    std::string pem_;
};

enum class Pkcs12Kind { modern, rc2_40, triple_des };

// Either may be empty.
std::string make_pkcs12(
    const std::string& certificate_pem,
    const std::string& key_pem,
    const std::string& password,
    Pkcs12Kind kind = Pkcs12Kind::modern
);

// The key in PEM, encrypted.
std::string lock_key(const std::string& key_pem, const std::string& password);

}  // namespace umavez::test
