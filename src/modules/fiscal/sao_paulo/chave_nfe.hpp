#pragma once

// ChaveNfe: what names one NFS-e of the city, as the module keeps it. Immutable.
//
//     000031000000_000000000987_ABCD1234      registration (12), number (12), verification code (8)
//
// The registration and the number are the key, by which a note is cancelled; the code is for people who look
// a note up, and is left out where it was not told. The key of 50 positions that layout 2 adds
// (ChaveNotaNacional) is not taken instead: it is optional, so that one note might have two keys, and a
// cancellation cannot be made of it. It stands in the XML.

#include "modules/fiscal/ids/fault.hpp"
#include "xml/document.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::sao_paulo {

class ChaveNfe {
public:
    // `im`: 1 to 12 digits, not all zero. `numero`: 1 to 12 digits. `codigo`: 8 visible characters without
    // '_', or none.
    static Parsed<ChaveNfe> make(
        std::string_view im, std::string_view numero, std::string_view codigo
    );

    // Back from text().
    static Parsed<ChaveNfe> parse(std::string_view text);

    // Of an element ChaveNFe. Nullopt: it is none.
    static std::optional<ChaveNfe> read(const xml::Element& chave_nfe);

    std::string text() const;
    const std::string& im() const noexcept { return im_; }  // without leading zeros
    std::int64_t numero() const noexcept { return numero_; }

    // Of the same note, whether the code was told or not.
    bool is_of(const ChaveNfe& other) const noexcept
    {
        return im_ == other.im_ && numero_ == other.numero_;
    }

private:
    ChaveNfe() = default;
    std::string im_;
    std::int64_t numero_ = 0;
    std::string codigo_;
};

}  // namespace umavez::fiscal::sao_paulo
