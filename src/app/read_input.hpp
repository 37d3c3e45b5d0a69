#pragma once

// A whole file or standard input in memory, up to a bound: what is no file, cannot be read or does
// not end is an error, never an empty text. Thread-safe.

#include <umavez/result.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace umavez {

// "-" is standard input. The error is one clause that names `name`: "cannot read x: Is a
// directory", or limit_exceeded once more than `bytes_max` came.
//
// With `patience` a pipe that nobody writes to is an error after that long, instead of a hang.
Result<std::string> read_input(
    const std::string& name,
    std::size_t bytes_max,
    std::optional<std::chrono::milliseconds> patience = std::nullopt
);

}  // namespace umavez
