#pragma once

// A pause of chance length before something is tried again: whoever failed together does not come back
// together. Thread-safe.

#include <umavez/time.hpp>

namespace umavez {

// Up to `most`, which is above zero. Nobody wakes it: the pause is the point.
void pause_up_to(Duration most);

}  // namespace umavez
