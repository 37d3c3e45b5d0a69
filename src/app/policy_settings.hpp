#pragma once

// The fields of a policy as they are written in `[operation."name"]`. Thread-safe.

#include <umavez/policy.hpp>
#include <umavez/result.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// Field to text, as the file has it. Numbers and booleans arrive as their text.
using PolicyOverrides = std::map<std::string, std::string>;

const std::vector<std::string>& policy_fields();

// A good value as the file has it, which also tells its type. Nullopt for an unknown field.
std::optional<std::string> policy_field_example(std::string_view name);

// Refuses unknown fields and values, naming what would be right. The policy as a whole is checked
// by core/validate.hpp.
Result<void> apply_overrides(const PolicyOverrides& overrides, Policy& policy);

}  // namespace umavez
