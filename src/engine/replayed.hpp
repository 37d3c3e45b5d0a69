#pragma once

// What a replay of a kept record says. Pure.

#include <umavez/outcome.hpp>
#include <umavez/record.hpp>

#include <utility>

namespace umavez {

inline Replayed to_replayed(Record&& record)
{
    Replayed replayed{
        .response = {},
        .status = record.status,
        .omitted = !record.response,
        .expires_at = record.expires_at,
    };
    if (record.response) {
        replayed.omitted = record.response->omitted;
        replayed.response = std::move(record.response->response);
    }
    return replayed;
}

}  // namespace umavez
