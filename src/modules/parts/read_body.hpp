#pragma once

// Bodies into values whose rules hold, in the shape that the inputs of all modules have. Pure,
// thread-safe.

#include "http/problem.hpp"
#include "json/tree.hpp"
#include "key_protocol/body_fields.hpp"

#include <cstdint>
#include <expected>
#include <optional>
#include <utility>

namespace umavez::modules {

template <typename T>
using Read = std::expected<T, http::Problem>;

// The value, unless a field of it was refused.
template <typename T>
Read<T> checked(T value, const key_protocol::BodyFields& fields, http::Language language)
{
    if (auto problem = fields.problem(language)) return std::unexpected(*std::move(problem));
    return value;
}

// Of a body that has nothing but `versao`, which may come by If-Match instead.
Read<std::optional<std::int64_t>> read_versao(const JsonTree* body, http::Language language);

}  // namespace umavez::modules
