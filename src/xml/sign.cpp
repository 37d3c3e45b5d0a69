#include "base/base64.hpp"
#include "base/freed.hpp"
#include "base/shown.hpp"
#include "xml/rsa.hpp"
#include "xml/signature_names.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <libxml/tree.h>
#include <memory>

namespace umavez::xml {
namespace {

using Bio = std::unique_ptr<BIO, Freed<&BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freed<&X509_free>>;

// OpenSSL asks on the terminal where nobody answers.
int no_password(char*, int, int, void*)
{
    return -1;
}

const xmlChar* chars(std::string_view literal) noexcept
{
    return reinterpret_cast<const xmlChar*>(literal.data());
}

// Builds the Signature of one element into the tree.
class SignatureBuilder {
public:
    // Inside of `around`, which is the covered element or the one around it.
    SignatureBuilder(const Element& covered, const Element& around, const AlgorithmNames& names)
        : covered_(covered), names_(names)
    {
        signature_ = xmlNewChild(around.node(), nullptr, chars("Signature"), nullptr);
        space_ = xmlNewNs(signature_, chars(signature_space), nullptr);
        xmlSetNs(signature_, space_);
    }

    Element add_signed_info(const std::string& uri)
    {
        xmlNode* const info = add(signature_, "SignedInfo");
        add(info, "CanonicalizationMethod", canonical_name);
        add(info, "SignatureMethod", names_.signature);
        xmlNode* const reference = add(info, "Reference");
        xmlNewProp(reference, chars("URI"), chars(uri));
        xmlNode* const transforms = add(reference, "Transforms");
        add(transforms, "Transform", enveloped);
        add(transforms, "Transform", canonical_name);
        add(reference, "DigestMethod", names_.digest);
        const std::string digest = digest_of(
            to_canonical(covered_, Canonical::inclusive, Element{signature_}), names_.hash()
        );
        add_text(add(reference, "DigestValue"), digest);
        return Element{info};
    }

    void add_value(std::string_view value, std::string_view certificate)
    {
        add_text(add(signature_, "SignatureValue"), value);
        xmlNode* const data = add(add(signature_, "KeyInfo"), "X509Data");
        add_text(add(data, "X509Certificate"), certificate);
    }

private:
    xmlNode* add(xmlNode* parent, std::string_view name, std::string_view algorithm = {})
    {
        xmlNode* const child = xmlNewChild(parent, space_, chars(name), nullptr);
        if (!algorithm.empty()) xmlNewProp(child, chars("Algorithm"), chars(algorithm));
        return child;
    }
    static void add_text(xmlNode* node, std::string_view text)
    {
        xmlNodeAddContentLen(node, chars(text), static_cast<int>(text.size()));
    }

    const Element covered_;
    const AlgorithmNames& names_;
    xmlNode* signature_ = nullptr;
    xmlNs* space_ = nullptr;
};

// "": it cannot be read.
std::string to_der(std::string_view certificate_pem)
{
    const Bio reader{
        BIO_new_mem_buf(certificate_pem.data(), static_cast<int>(certificate_pem.size()))
    };
    const Certificate certificate{PEM_read_bio_X509(reader.get(), nullptr, no_password, nullptr)};
    ERR_clear_error();
    if (!certificate) return {};
    unsigned char* der = nullptr;
    const int size = i2d_X509(certificate.get(), &der);
    if (size <= 0) return {};
    std::string bytes{reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)};
    OPENSSL_free(der);
    return bytes;
}

std::string to_text(const Document& document)
{
    xmlChar* bytes = nullptr;
    int size = 0;
    xmlDocDumpMemoryEnc(document.tree(), &bytes, &size, "UTF-8");
    std::string text{reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
    xmlFree(bytes);
    return text;
}

Result<std::string> sign(
    const Document& document,
    const Element& covered,
    const Element& around,
    const std::string& uri,
    const SigningKey& key,
    SignatureAlgorithm algorithm
)
{
    if (!find_signatures(document).empty()) {
        return fail(Errc::invalid_argument, "the document has a Signature already");
    }
    const std::string certificate = to_der(key.certificate_pem);
    if (certificate.empty()) {
        return fail(Errc::misconfigured, "the key that signs must be of RSA, with its certificate");
    }
    const AlgorithmNames& names =
        *std::ranges::find(algorithms, algorithm, &AlgorithmNames::algorithm);
    SignatureBuilder builder{covered, around, names};
    const Element info = builder.add_signed_info(uri);
    const auto signature =
        sign_bytes(to_canonical(info, Canonical::inclusive), key.key_pem, algorithm);
    if (!signature) return std::unexpected(signature.error());
    builder.add_value(to_base64(*signature), to_base64(certificate));
    return to_text(document);
}

}  // namespace

Result<std::string> sign_enveloped(
    std::string_view xml, std::string_view id, const SigningKey& key, SignatureAlgorithm algorithm
)
{
    const auto document = Document::parse(xml);
    if (!document) return std::unexpected(document.error());
    const auto covered = find_by_id(*document, id);
    if (covered.size() != 1) {
        return fail(
            Errc::invalid_argument,
            fmt::format("{} elements have the Id {}: exactly one must", covered.size(), shown(id))
        );
    }
    if (covered.front() == document->root()) {
        return fail(Errc::invalid_argument, "the signed element must have one around it");
    }
    const Element around{covered.front().node()->parent};
    return sign(*document, covered.front(), around, fmt::format("#{}", id), key, algorithm);
}

Result<std::string> sign_whole(
    std::string_view xml, const SigningKey& key, SignatureAlgorithm algorithm
)
{
    const auto document = Document::parse(xml);
    if (!document) return std::unexpected(document.error());
    if (has_instruction_outside(*document)) {
        return fail(Errc::invalid_argument, "an instruction stands beside the root: leave it out");
    }
    return sign(*document, document->root(), document->root(), "", key, algorithm);
}

}  // namespace umavez::xml
