#pragma once

// The fields of a policy as they are written in `[operation."name"]`. Thread-safe.

#include <umavez/policy.hpp>
#include <umavez/result.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// Field to text, as the file has it. Numbers and booleans arrive as their text.
using PolicyOverrides = std::map<std::string, std::string>;

const std::vector<std::string>& policy_fields();

// Refuses unknown fields and values, naming what would be right. The policy as a whole is checked
// by core/validate.hpp.
Result<void> apply_overrides(const PolicyOverrides& overrides, Policy& policy);

}  // namespace umavez
