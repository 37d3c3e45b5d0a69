#pragma once

// Counts what json_test takes from operator new, so that a test can bound memory.
// Confined to the thread of the tests.

#include <cstddef>

namespace umavez {

// All bytes ever asked for, freed or not.
std::size_t bytes_allocated() noexcept;

}  // namespace umavez
