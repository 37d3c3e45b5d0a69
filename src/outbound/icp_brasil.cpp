#include "outbound/icp_brasil.hpp"

#include "base/char_set.hpp"
#include "outbound/openssl_handles.hpp"

#include <string_view>

namespace umavez::outbound {
namespace {

constexpr CharSet digits{[](unsigned char byte) { return byte >= '0' && byte <= '9'; }};
constexpr CharSet cnpj_chars{[](unsigned char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z');
}};

bool is_cnpj(std::string_view text) noexcept
{
    return text.size() == 14 && cnpj_chars.has_all(text) && digits.has_all(text.substr(12));
}

bool is_cpf(std::string_view text) noexcept
{
    return text.size() == 11 && digits.has_all(text);
}

std::string_view text_of(const ASN1_STRING* string) noexcept
{
    if (string == nullptr) return {};
    return {
        reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
        static_cast<std::size_t>(ASN1_STRING_length(string))
    };
}

// Written as an octet string by the norm, as a printable one by most.
std::string_view text_of(const ASN1_TYPE& value) noexcept
{
    switch (value.type) {
        case V_ASN1_OCTET_STRING:
        case V_ASN1_PRINTABLESTRING:
        case V_ASN1_UTF8STRING:
        case V_ASN1_IA5STRING: return text_of(value.value.asn1_string);
        default: return {};
    }
}

std::optional<std::string> find_in_other_names(const X509& certificate)
{
    const NamesHandle names{static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)
    )};
    if (!names) return std::nullopt;
    const ObjectHandle wanted{OBJ_txt2obj("2.16.76.1.3.3", 1)};
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
        if (name->type != GEN_OTHERNAME) continue;
        const OTHERNAME& other = *name->d.otherName;
        if (OBJ_cmp(other.type_id, wanted.get()) != 0 || other.value == nullptr) continue;
        const std::string_view text = text_of(*other.value);
        if (is_cnpj(text)) return std::string{text};
    }
    return std::nullopt;
}

std::optional<std::string> find_in_common_name(const X509& certificate)
{
    const X509_NAME* const subject = X509_get_subject_name(&certificate);
    const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at < 0) return std::nullopt;
    const std::string_view name =
        text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    const std::size_t colon = name.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view text = name.substr(colon + 1);
    if (!is_cnpj(text) && !is_cpf(text)) return std::nullopt;
    return std::string{text};
}

}  // namespace

std::optional<std::string> find_inscricao(const X509& certificate)
{
    if (auto found = find_in_other_names(certificate)) return found;
    return find_in_common_name(certificate);
}

}  // namespace umavez::outbound
