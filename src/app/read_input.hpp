#pragma once

// A whole file or standard input in memory, up to a bound: what is no file, cannot be read or does
// not end is an error, never an empty text. Thread-safe.

#include <umavez/result.hpp>

#include <cstddef>
#include <string>

namespace umavez {

// "-" is standard input. The error is one clause that names `name`: "cannot read x: Is a
// directory", or limit_exceeded once more than `bytes_max` came.
Result<std::string> read_input(const std::string& name, std::size_t bytes_max);

}  // namespace umavez
