#pragma once

// [operation."name"] in the file: read with the other settings, and put on the operations once the
// modules have declared them. Thread-safe.

#include "app/config_file.hpp"
#include "app/settings.hpp"

#include <umavez/operation.hpp>

#include <map>
#include <span>
#include <string>

namespace umavez {

// An entry whose path begins with "operation". The value is checked by itself; whether the
// operation exists is not known yet.
Result<void> take_operation_entry(const ConfigEntry& entry, Settings& settings);

// Puts the overrides of the file on the operations that exist, and checks the result. Refuses a
// name that nobody declared, with the names that are.
Result<void> configure_operations(
    const std::map<std::string, PolicyOverrides>& overrides, std::span<OperationSpec> operations
);

}  // namespace umavez
