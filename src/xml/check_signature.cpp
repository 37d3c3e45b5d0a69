#include "base/base64.hpp"
#include "base/shown.hpp"
#include "xml/rsa.hpp"
#include "xml/signature_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <libxml/tree.h>
#include <strings.h>

namespace umavez::xml {
namespace {

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, "its signature " + std::move(why));
}

template <typename See>
void see_all(const Element& element, const See& see)
{
    see(element);
    for (const Element& child : element.children()) see_all(child, see);
}

bool has_id(const Element& element, std::string_view id)
{
    for (const xmlAttr* attribute = element.node()->properties; attribute != nullptr;
         attribute = attribute->next) {
        if (::strcasecmp(reinterpret_cast<const char*>(attribute->name), "id") != 0) continue;
        std::string value;
        for (const xmlNode* part = attribute->children; part != nullptr; part = part->next) {
            if (part->content != nullptr) value += reinterpret_cast<const char*>(part->content);
        }
        if (value == id) return true;
    }
    return false;
}

std::string without_blanks(std::string text)
{
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    return text;
}

// Exactly these elements of XMLDSig, in this order, and no others: what else might be there means something.
std::optional<std::vector<Element>> children_named(
    const Element& parent, std::initializer_list<std::string_view> names
)
{
    const auto children = parent.children();
    const bool is_so =
        std::ranges::equal(children, names, [](const Element& child, std::string_view name) {
            return child.name() == name && child.space() == signature_space;
        });
    return is_so ? std::optional{children} : std::nullopt;
}

std::string algorithm_of(const Element& element)
{
    // Parameters of an algorithm would change what it does.
    return element.children().empty() ? element.attribute("Algorithm").value_or("") : "";
}

std::optional<Canonical> find_canonical(const std::string& name)
{
    const auto found = std::ranges::find(canonical_names, name, &CanonicalName::name);
    return found == std::end(canonical_names) ? std::nullopt : std::optional{found->kind};
}

// How the covered element is written before it is digested: enveloped, then a canonical form.
struct Form {
    Canonical kind = Canonical::inclusive;
    bool is_enveloped = false;
};

std::optional<Form> read_transforms(const Element& transforms)
{
    Form form;
    bool is_last = false;
    for (const Element& transform : transforms.children()) {
        if (transform.name() != "Transform" || transform.space() != signature_space || is_last) {
            return std::nullopt;
        }
        const std::string name = algorithm_of(transform);
        if (name == enveloped) {
            form.is_enveloped = true;
            continue;
        }
        const auto found = find_canonical(name);
        if (!found) return std::nullopt;
        // A reference by "#Id" or "" leaves comments out, whatever the form (XMLDSig, 4.4.3.3).
        const bool is_exclusive =
            *found == Canonical::exclusive || *found == Canonical::exclusive_with_comments;
        form.kind = is_exclusive ? Canonical::exclusive : Canonical::inclusive;
        is_last = true;
    }
    return form;
}

// The parts of a Signature, once its form is known to be the one that is allowed.
struct Parts {
    Element info;
    Canonical info_form;
    const AlgorithmNames* names;
    std::optional<std::string> uri;
    Form form;
    const EVP_MD* digest_hash;
    std::string digest;
    std::string value;
    std::string certificate;
};

Result<Parts> take_apart(const Element& signature)
{
    const auto children = children_named(signature, {"SignedInfo", "SignatureValue", "KeyInfo"});
    if (!children)
        return refuse("must have a SignedInfo, a SignatureValue and a KeyInfo, and nothing else");
    const auto info =
        children_named((*children)[0], {"CanonicalizationMethod", "SignatureMethod", "Reference"});
    if (!info) return refuse("must have one Reference, and nothing else beside its two methods");
    const auto reference =
        children_named((*info)[2], {"Transforms", "DigestMethod", "DigestValue"});
    if (!reference) return refuse("has a Reference that is not of the usual form");
    const auto info_form = find_canonical(algorithm_of((*info)[0]));
    const auto form = read_transforms((*reference)[0]);
    if (!info_form || !form) {
        return refuse("has a transform that is neither enveloped-signature nor Canonical XML");
    }
    const auto names =
        std::ranges::find(algorithms, algorithm_of((*info)[1]), &AlgorithmNames::signature);
    const auto digest =
        std::ranges::find(algorithms, algorithm_of((*reference)[1]), &AlgorithmNames::digest);
    if (names == std::end(algorithms) || digest == std::end(algorithms)) {
        return refuse("must be of RSA with SHA-1 or SHA-256");
    }
    // Of several certificates the first is whose key signed.
    std::string certificate;
    for (const Element& data : (*children)[2].children()) {
        if (data.name() != "X509Data" || data.space() != signature_space) continue;
        if (const auto found = data.find_text("X509Certificate"); found && certificate.empty()) {
            certificate = without_blanks(*found);
        }
    }
    return Parts{
        .info = (*children)[0],
        .info_form = *info_form,
        .names = &*names,
        .uri = (*info)[2].attribute("URI"),
        .form = *form,
        .digest_hash = digest->hash(),
        .digest = without_blanks((*reference)[2].text()),
        .value = without_blanks((*children)[1].text()),
        .certificate = std::move(certificate),
    };
}

Result<std::string> check_value(const Parts& parts)
{
    auto der = parse_base64(parts.certificate);
    const auto value = parse_base64(parts.value);
    if (!der || der->empty()) return refuse("has no certificate that can be read");
    if (!value) return refuse("has a value that is no base64");
    const auto is_valid = is_signed_by(
        *der, to_canonical(parts.info, parts.info_form), *value, parts.names->algorithm
    );
    if (!is_valid) return refuse("has no certificate that can be read");
    if (!*is_valid) return refuse("is not that of its certificate");
    return *std::move(der);
}

Result<Element> only_signature(const Document& document)
{
    const auto signatures = find_signatures(document);
    if (signatures.size() != 1) {
        return refuse(fmt::format("must be the only one: there are {}", signatures.size()));
    }
    return signatures.front();
}

Result<CheckedSignature> check_digest_and_value(
    const Element& covered, const Element& signature, const Parts& parts
)
{
    const std::string canonical = to_canonical(covered, parts.form.kind, signature);
    if (digest_of(canonical, parts.digest_hash) != parts.digest) {
        return refuse(fmt::format(
            "does not fit {}: it was changed after it was signed", shown(covered.name())
        ));
    }
    auto der = check_value(parts);
    if (!der) return std::unexpected(der.error());
    return CheckedSignature{parts.names->algorithm, parts.digest, *std::move(der)};
}

}  // namespace

std::vector<Element> find_by_id(const Document& document, std::string_view id)
{
    std::vector<Element> found;
    see_all(document.root(), [&](const Element& element) {
        if (has_id(element, id)) found.push_back(element);
    });
    return found;
}

std::vector<Element> find_signatures(const Document& document)
{
    std::vector<Element> found;
    see_all(document.root(), [&](const Element& element) {
        if (element.name() == "Signature" && element.space() == signature_space) {
            found.push_back(element);
        }
    });
    return found;
}

std::string digest_of(std::string_view bytes, const EVP_MD* hash)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, hash, nullptr);
    return to_base64({reinterpret_cast<const char*>(digest.data()), size});
}

bool has_instruction_outside(const Document& document)
{
    const xmlNode* at = document.tree()->children;
    for (; at != nullptr; at = at->next) {
        if (at->type == XML_PI_NODE) return true;
    }
    return false;
}

Result<CheckedSignature> check_signature(const Document& document, const Element& covered)
{
    const auto signature = only_signature(document);
    if (!signature) return std::unexpected(signature.error());
    const xmlNode* const parent = signature->node()->parent;
    if (parent != covered.node() && parent != covered.node()->parent) {
        return refuse(fmt::format("must stand beside {}", shown(covered.name())));
    }
    const std::string id = covered.attribute("Id").value_or("");
    if (id.empty()) return refuse(fmt::format("needs an Id in {}", shown(covered.name())));
    const auto same = find_by_id(document, id);
    if (same.size() != 1 || same.front() != covered) {
        return refuse(fmt::format("refers to the Id {}, which several elements have", shown(id)));
    }
    const auto parts = take_apart(*signature);
    if (!parts) return std::unexpected(parts.error());
    const std::string uri = parts->uri.value_or("");
    if (uri != "#" + id) {
        return refuse(fmt::format("refers to {}, not to #{}", shown(uri), shown(id)));
    }
    return check_digest_and_value(covered, *signature, *parts);
}

Result<CheckedSignature> check_whole_signature(const Document& document)
{
    const auto signature = only_signature(document);
    if (!signature) return std::unexpected(signature.error());
    const Element root = document.root();
    if (signature->node()->parent != root.node()) {
        return refuse(fmt::format("must stand in {}", shown(root.name())));
    }
    if (has_instruction_outside(document)) {
        return refuse("covers an instruction beside the root: leave that out");
    }
    const auto parts = take_apart(*signature);
    if (!parts) return std::unexpected(parts.error());
    if (parts->uri != "") {
        return refuse(fmt::format(
            "refers to {}, not to the whole document (URI=\"\")",
            shown(parts->uri.value_or("nothing"))
        ));
    }
    if (!parts->form.is_enveloped) return refuse("needs the transform enveloped-signature");
    return check_digest_and_value(root, *signature, *parts);
}

}  // namespace umavez::xml
