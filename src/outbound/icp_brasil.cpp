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

// The text of the other name with this number, or "".
std::string find_other_name(const X509& certificate, const char* number)
{
    const NamesHandle names{static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)
    )};
    const ObjectHandle wanted{OBJ_txt2obj(number, 1)};
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
        if (name->type != GEN_OTHERNAME) continue;
        const OTHERNAME& other = *name->d.otherName;
        if (OBJ_cmp(other.type_id, wanted.get()) != 0 || other.value == nullptr) continue;
        if (const auto text = text_of(*other.value); !text.empty()) return std::string{text};
    }
    return {};
}

std::optional<std::string> find_in_common_name(const X509& certificate)
{
    const std::string common_name = find_common_name(certificate);
    const std::string_view name = common_name;
    const std::size_t colon = name.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view text = name.substr(colon + 1);
    if (!is_cnpj(text) && !is_cpf(text)) return std::nullopt;
    return std::string{text};
}

}  // namespace

std::string find_common_name(const X509& certificate)
{
    const X509_NAME* const subject = X509_get_subject_name(&certificate);
    const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at < 0) return {};
    unsigned char* utf8 = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (size < 0) return {};
    std::string name{reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size)};
    OPENSSL_free(utf8);
    return name;
}

std::optional<std::string> find_inscricao(const X509& certificate)
{
    constexpr std::size_t birth_length = 8;
    constexpr std::size_t cpf_length = 11;
    if (auto cnpj = find_other_name(certificate, "2.16.76.1.3.3"); is_cnpj(cnpj)) return cnpj;
    if (auto found = find_in_common_name(certificate)) return found;
    const std::string person = find_other_name(certificate, "2.16.76.1.3.1");
    if (person.size() < birth_length + cpf_length) return std::nullopt;
    std::string cpf = person.substr(birth_length, cpf_length);
    if (!is_cpf(cpf) || cpf == std::string(cpf_length, '0')) return std::nullopt;
    return cpf;
}

}  // namespace umavez::outbound
