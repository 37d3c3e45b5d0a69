#pragma once

// NfseKey: the 50 positions that name one NFS-e Nacional, and the ids of its events. The authority gives the
// number inside, so that nobody knows the key before. Immutable after construction.
//
//     cMun 7 · ambGer 1 (1 city, 2 national) · tpInsc 1 · CNPJ or CPF 14 · nNFSe 13 · AAMM 4 · random 9 ·
//     cDV 1

#include "modules/fiscal/ids/fault.hpp"
#include "modules/fiscal/ids/inscricao.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace umavez::fiscal {

struct NfseKeyFields {
    std::string municipio;  // 7 digits of IBGE
    int amb_ger = 2;        // who made it: 1 the city, 2 the national system
    Inscricao inscricao;
    std::int64_t numero = 0;  // 0 to 9999999999999
    std::string aamm;         // "2607"
    std::string aleatorio;    // 9 digits
    friend bool operator==(const NfseKeyFields&, const NfseKeyFields&) = default;
};

class NfseKey {
public:
    static constexpr std::size_t length = 50;

    static Parsed<NfseKey> parse(std::string_view text);

    // Gives it the check digit.
    static Parsed<NfseKey> build(const NfseKeyFields& fields);

    // Of the form `NFS` + key, as in the Id of the XML.
    static Parsed<NfseKey> parse_id(std::string_view id);

    const std::string& text() const noexcept { return text_; }
    std::string_view municipio() const noexcept { return part(0, 7); }
    std::string_view amb_ger() const noexcept { return part(7, 1); }
    std::string_view tp_insc() const noexcept { return part(8, 1); }
    std::string_view inscricao() const noexcept { return part(9, 14); }
    std::string_view numero() const noexcept { return part(23, 13); }
    std::string_view aamm() const noexcept { return part(36, 4); }
    std::string_view aleatorio() const noexcept { return part(40, 9); }

    NfseKeyFields fields() const;
    friend auto operator<=>(const NfseKey&, const NfseKey&) = default;

private:
    explicit NfseKey(std::string text) noexcept : text_(std::move(text)) {}
    std::string_view part(std::size_t begin, std::size_t size) const noexcept
    {
        return std::string_view{text_}.substr(begin, size);
    }
    std::string text_;
};

}  // namespace umavez::fiscal
