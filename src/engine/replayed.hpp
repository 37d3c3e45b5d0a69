#pragma once

// What a replay of a kept record says. Pure.

#include <umavez/outcome.hpp>
#include <umavez/record.hpp>

#include <utility>

namespace umavez {

namespace detail {

inline Replayed replay_without_response(const Record& record)
{
    return {
        .response = {},
        .status = record.status,
        .omitted = !record.response || record.response->omitted,
        .expires_at = record.expires_at,
    };
}

}  // namespace detail

inline Replayed to_replayed(Record&& record)
{
    Replayed replayed = detail::replay_without_response(record);
    if (record.response) replayed.response = std::move(record.response->response);
    return replayed;
}

inline Replayed to_replayed(const Record& record)
{
    Replayed replayed = detail::replay_without_response(record);
    if (record.response) replayed.response = record.response->response;
    return replayed;
}

}  // namespace umavez
