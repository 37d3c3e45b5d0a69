#pragma once

// Operations that change an entity leave a row in idempotencia_operacoes, in the transaction of
// their record, and believe the row where the record is gone. Thread-safe.

#include "key_protocol/protect.hpp"
#include "modules/parts/origin.hpp"

#include <umavez/response.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace umavez::propostas {

struct RecordedOperation {
    std::string tipo;  // "submeter_proposta"
    std::int64_t entidade_id = 0;
    std::optional<Duration> retention;  // nullopt: for ever
};

// With a key: where its row is there already, `show` gives the entity as it is now and the answer
// is a replay, or a refusal if the row speaks of another entity; else `change` runs and its answer
// becomes the row's `resultado`. Without a key: `change` alone.
key_protocol::AtomicAction recorded(
    modules::Origin origin,
    RecordedOperation operation,
    key_protocol::AtomicAction show,
    key_protocol::AtomicAction change
);

// The answer of an effect that was there already.
inline Response as_done(Response response)
{
    response.was_done = true;
    return response;
}

}  // namespace umavez::propostas
