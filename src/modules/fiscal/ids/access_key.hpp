#pragma once

// AccessKey: the 44 positions that name one NF-e or NFC-e, and NaturalKey: what of them makes it that one
// and no other. Immutable after construction.
//
//     cUF 2 · AAMM 4 · CNPJ or CPF 14 · mod 2 · serie 3 · nNF 9 · tpEmis 1 · cNF 8 · cDV 1
//
// The authority refuses a second document by its natural key, not by the 44 characters: another cNF, month or
// (but in NFC-e) tpEmis is the same document under another key. So that is what idempotency hangs on.

#include "modules/fiscal/ids/fault.hpp"
#include "modules/fiscal/ids/inscricao.hpp"
#include "modules/fiscal/ids/tipo.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace umavez::fiscal {

// tipo is nfe or nfce; inscricao has 14 positions, a CPF behind "000".
struct NaturalKeyFields {
    Tipo tipo = Tipo::nfe;
    std::string uf = {};  // "35", the IBGE code
    std::string inscricao = {};
    std::int64_t serie = 0;   // 0 to 999
    std::int64_t numero = 0;  // 1 to 999999999
    int tp_emis = 1;          // 0 to 9; of no matter in NF-e
    friend bool operator==(const NaturalKeyFields&, const NaturalKeyFields&) = default;
};

class NaturalKey {
public:
    static Parsed<NaturalKey> make(const NaturalKeyFields& fields);

    Tipo tipo() const noexcept { return tipo_; }
    // "55_35_58716523000119_001_000000030"; for an NFC-e "65_…_000000030_1", with tpEmis.
    const std::string& text() const noexcept { return text_; }
    friend auto operator<=>(const NaturalKey&, const NaturalKey&) = default;

private:
    NaturalKey(Tipo tipo, std::string text) noexcept : tipo_(tipo), text_(std::move(text)) {}
    Tipo tipo_;
    std::string text_;
};

struct AccessKeyFields {
    NaturalKeyFields natural = {};
    std::string aamm = {};  // "2607"
    std::string c_nf = {};  // 8 digits
    friend bool operator==(const AccessKeyFields&, const AccessKeyFields&) = default;
};

class AccessKey {
public:
    static constexpr std::size_t length = 44;

    // The pattern, a known state, a month, model 55 or 65, a number, and the check digit. Not the check
    // digits of the CNPJ inside, which has to be asked for: see find_inscricao.
    static Parsed<AccessKey> parse(std::string_view text);

    // Gives it the check digit.
    static Parsed<AccessKey> build(const AccessKeyFields& fields);

    // Of the form `NFe` + key, as in the Id of what is signed.
    static Parsed<AccessKey> parse_id(std::string_view id);

    const std::string& text() const noexcept { return text_; }
    std::string_view uf() const noexcept { return part(0, 2); }
    std::string_view aamm() const noexcept { return part(2, 4); }
    std::string_view inscricao() const noexcept { return part(6, 14); }
    std::string_view modelo() const noexcept { return part(20, 2); }
    std::string_view serie() const noexcept { return part(22, 3); }
    std::string_view numero() const noexcept { return part(25, 9); }
    std::string_view tp_emis() const noexcept { return part(34, 1); }
    std::string_view c_nf() const noexcept { return part(35, 8); }

    Tipo tipo() const noexcept;
    // A CPF in the series 910 to 969, else a CNPJ. Many keys in circulation carry an impossible one.
    Parsed<Inscricao> find_inscricao() const;
    AccessKeyFields fields() const;
    NaturalKey natural_key() const;
    friend auto operator<=>(const AccessKey&, const AccessKey&) = default;

private:
    explicit AccessKey(std::string text) noexcept : text_(std::move(text)) {}
    std::string_view part(std::size_t begin, std::size_t size) const noexcept
    {
        return std::string_view{text_}.substr(begin, size);
    }
    std::string text_;
};

// The 27 codes of the states and of the Distrito Federal.
bool is_uf(std::string_view code) noexcept;

}  // namespace umavez::fiscal
