#pragma once

// The version of the program, as the build defines it. Immutable.

#include <string_view>

namespace umavez {

inline constexpr std::string_view program_version = UMAVEZ_VERSION;

}  // namespace umavez
