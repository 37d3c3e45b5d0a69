#pragma once

// DpsId: the 45 characters that name one DPS (the declaration an NFS-e Nacional is made from). It is also the
// natural key: the authority makes one NFS-e of it and no second (E0014). Immutable after construction.
//
//     DPS · cLocEmi 7 · tpInsc 1 (1 CPF, 2 CNPJ) · CNPJ or CPF 14 · serie 5 · nDPS 15

#include "modules/fiscal/ids/fault.hpp"
#include "modules/fiscal/ids/inscricao.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace umavez::fiscal {

struct DpsIdFields {
    std::string municipio;  // 7 digits of IBGE: that of the issuer's address
    Inscricao inscricao;
    std::int64_t serie = 0;   // 0 to 99999
    std::int64_t numero = 0;  // 1 to 999999999999999
    friend bool operator==(const DpsIdFields&, const DpsIdFields&) = default;
};

class DpsId {
public:
    static constexpr std::size_t length = 45;

    static Parsed<DpsId> parse(std::string_view text);
    static Parsed<DpsId> build(const DpsIdFields& fields);

    const std::string& text() const noexcept { return text_; }
    std::string_view municipio() const noexcept { return part(3, 7); }
    std::string_view tp_insc() const noexcept { return part(10, 1); }
    std::string_view inscricao() const noexcept { return part(11, 14); }
    std::string_view serie() const noexcept { return part(25, 5); }
    std::string_view numero() const noexcept { return part(30, 15); }

    DpsIdFields fields() const;
    std::string natural_text() const;  // "2111300_2_00574753000100_00003_000000000005306"
    // 00001 to 49999; the others belong to the authority's own emitters (E0010).
    bool is_own_application_serie() const noexcept;
    friend auto operator<=>(const DpsId&, const DpsId&) = default;

private:
    explicit DpsId(std::string text) noexcept : text_(std::move(text)) {}
    std::string_view part(std::size_t begin, std::size_t size) const noexcept
    {
        return std::string_view{text_}.substr(begin, size);
    }
    std::string text_;
};

}  // namespace umavez::fiscal
