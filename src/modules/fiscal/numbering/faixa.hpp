#pragma once

// Faixa: the numbers of one series, and the last that was given out. Plain values, pure.

#include "modules/fiscal/ids/tipo.hpp"

#include <umavez/time.hpp>

#include <cstdint>
#include <string>

namespace umavez::fiscal {

// Which series: numbers of two of them have nothing to do with each other. The texts are data of clients.
struct Serie {
    Tipo tipo = Tipo::nfse_nacional;
    Ambiente ambiente = Ambiente::homologacao;
    std::string emitente;
    std::string serie;
    friend bool operator==(const Serie&, const Serie&) = default;
};

struct Faixa {
    std::int64_t id = 0;
    Serie serie;
    std::int64_t ultimo_numero = 0;
    std::int64_t numero_max = 0;
    bool bloqueado = false;   // nobody gets a number
    std::int64_t versao = 1;  // grows with what people change, not with numbers that are given out
    Instant created_at{};
    Instant updated_at{};
};

// The largest number that the printed document has room for.
std::int64_t numero_max_of(Tipo tipo) noexcept;

std::string to_json(const Faixa& faixa);

}  // namespace umavez::fiscal
