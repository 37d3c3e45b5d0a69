#pragma once

// UUID version 7 (RFC 9562): time-ordered, for request ids and for keys that people make.
// Thread-safe.

#include "base/random.hpp"

#include <umavez/time.hpp>

#include <string>

namespace umavez {

// 48 bits of milliseconds, 74 random bits: "01890a5d-ac96-774b-bcce-b302099a8057".
std::string make_uuid7(Instant now, Random& random);

}  // namespace umavez
