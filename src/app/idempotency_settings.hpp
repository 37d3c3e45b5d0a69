#pragma once

// `[idempotency]`: the settings of the Idempotency-Key protocol. Immutable.

#include "app/settings.hpp"

#include <vector>

namespace umavez {

std::vector<SettingSpec> idempotency_specs();

}  // namespace umavez
