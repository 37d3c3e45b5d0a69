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

inline Replayed to_replayed(const Record& record)
{
    if (!record.response) return {.response = {}, .status = record.status, .omitted = true};
    return {
        .response = record.response->response,
        .status = record.status,
        .omitted = record.response->omitted,
    };
}

}  // namespace umavez
