#pragma once

// SpRpsKey: what names one RPS in the city of São Paulo, and the text that is signed for it. Immutable.
//
// The city does not refuse an RPS that is sent again: it cancels the first NFS-e and makes a second one
// (alert 217). So this key must be the same however the RPS is written: the registration (IM) has 8 digits in
// layout 1 and up to 12 in layout 2, and is compared with zeros before it.

#include "modules/fiscal/ids/fault.hpp"

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace umavez::fiscal {

class SpRpsKey {
public:
    // `im`: 1 to 12 digits, not all zero. `serie`: up to 5 visible characters, may be empty; no small
    // letters, because whether the city tells them from capitals is not written anywhere. `numero`: 1 to 12
    // digits.
    static Parsed<SpRpsKey> make(std::string_view im, std::string_view serie, std::int64_t numero);

    // Back from text().
    static Parsed<SpRpsKey> parse(std::string_view text);

    // "000031000000_OL03_000000000001": 12, up to 5, 12. The outer parts are of one width each, so that a
    // series may be of any characters.
    std::string text() const;
    const std::string& im() const noexcept { return im_; }  // without leading zeros
    const std::string& serie() const noexcept { return serie_; }
    std::int64_t numero() const noexcept { return numero_; }
    friend auto operator<=>(const SpRpsKey&, const SpRpsKey&) = default;

private:
    SpRpsKey(std::string im, std::string serie, std::int64_t numero) noexcept
        : im_(std::move(im)), serie_(std::move(serie)), numero_(numero)
    {
    }
    std::string im_;
    std::string serie_;
    std::int64_t numero_;
};

enum class SpLayout : std::uint8_t { one = 1, two = 2 };

// Whoever takes the service. The numbers are those of the signed text.
enum class SpTaker : std::uint8_t { cpf = 1, cnpj = 2, none = 3, nif = 4 };

struct SpIntermediary {
    SpTaker kind = SpTaker::cnpj;  // cpf or cnpj
    std::string documento;
    bool iss_retido = false;
};

struct SpRps {
    SpRpsKey key;
    std::chrono::year_month_day data;
    char tributacao = 'T';
    char status = 'N';
    bool iss_retido = false;
    std::int64_t valor_cents = 0;  // layout 2: ValorInicialCobrado or ValorFinalCobrado
    std::int64_t deducoes_cents = 0;
    std::int64_t codigo_servico = 0;
    SpTaker taker = SpTaker::none;
    std::string documento = {};  // of the taker: CPF, CNPJ or (layout 2) NIF
    std::optional<SpIntermediary> intermediary = {};
};

// What RSA-SHA1 is computed over: 86 positions in layout 1, 90 in layout 2, with an intermediary 16 more.
// Documents of third parties are taken as they are, without their check digits: the city judges those.
Parsed<std::string> signature_text(SpLayout layout, const SpRps& rps);

}  // namespace umavez::fiscal
