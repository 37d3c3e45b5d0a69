#pragma once

// Checks a policy before anything runs. Each message names the setting and the cure. Thread-safe.

#include <umavez/policy.hpp>
#include <umavez/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// What the checks need to know of the store an operation runs on.
struct Offered {
    std::string_view store_name;
    bool atomic = false;
    bool leased = false;
    bool cached = false;
};

struct Registered {
    bool has_current = false;  // a function that loads the entity for `replay = current`
    bool has_load = false;     // what a worker needs to run without the client: the payload …
    bool has_work = false;     // … and the handler
};

Result<void> validate(
    std::string_view operation, const Policy& policy, const Offered& offered, const Registered& registered
);

// Legal, but somebody should know.
std::vector<std::string> warnings(std::string_view operation, const Policy& policy);

}  // namespace umavez
