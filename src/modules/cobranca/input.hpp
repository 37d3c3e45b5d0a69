#pragma once

// What clients of the API may say: bodies read into values whose rules hold. Pure, thread-safe.

#include "base/money.hpp"
#include "json/tree.hpp"
#include "modules/cobranca/estado.hpp"
#include "modules/parts/read_body.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::cobranca {

using modules::Read;

// Lengths in characters, of the columns too.
inline constexpr std::size_t cliente_max = 255;
inline constexpr std::size_t plano_max = 100;
inline constexpr std::size_t meio_max = 50;
inline constexpr std::size_t origem_max = 100;
inline constexpr std::size_t referencia_max = 255;

struct NovaAssinatura {
    std::string cliente;
    std::string plano;
    Money valor;  // above zero: an invoice of nothing could never be paid
    Ciclo ciclo = Ciclo::mensal;
};

// What is nullopt stays as it is. `versao` may come by If-Match instead.
struct AssinaturaChanges {
    std::optional<std::string> plano;
    std::optional<Money> valor;
    std::optional<EstadoAssinatura> estado;
    std::optional<std::int64_t> versao;
};

struct NovaFatura {
    std::int64_t assinatura_id = 0;
    std::string competencia;
};

// A payment as a client of the API reports it.
struct PagamentoBody {
    std::int64_t fatura_id = 0;
    Money valor;  // above zero
    std::string meio;
};

// No body is read as an empty object. The problem names every field that is wrong.
Read<NovaAssinatura> read_nova_assinatura(const JsonTree* body, http::Language language);
Read<AssinaturaChanges> read_assinatura_changes(const JsonTree* body, http::Language language);
Read<NovaFatura> read_nova_fatura(const JsonTree* body, http::Language language);
Read<PagamentoBody> read_pagamento(const JsonTree* body, http::Language language);

// "AAAA-MM": a month of the years 1900 to 9999.
bool is_competencia(std::string_view text) noexcept;

}  // namespace umavez::cobranca
