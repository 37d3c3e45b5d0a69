#pragma once

// What clients may say about numbers: bodies read into values whose rules hold. Pure, thread-safe.

#include "json/tree.hpp"
#include "modules/fiscal/numbering/naming.hpp"
#include "modules/parts/read_body.hpp"

#include <cstdint>
#include <optional>

namespace umavez::fiscal {

struct NovaFaixa {
    Serie serie;
    std::int64_t ultimo_numero = 0;  // what another program gave out before
};

// What is nullopt stays as it is. `versao` may come by If-Match instead.
struct FaixaChanges {
    std::optional<bool> bloqueado;
    std::optional<std::int64_t> ultimo_numero;
    std::optional<std::int64_t> versao;
};

struct NovaReserva {
    Serie serie;
    Lugar lugar;
};

// No body is read as an empty object. The problem names every field that is wrong.
modules::Read<NovaFaixa> read_nova_faixa(const JsonTree* body, http::Language language);
modules::Read<FaixaChanges> read_faixa_changes(const JsonTree* body, http::Language language);
modules::Read<NovaReserva> read_nova_reserva(const JsonTree* body, http::Language language);

}  // namespace umavez::fiscal
