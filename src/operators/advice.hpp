#pragma once

// Advice: what the state of a key means, and what an operator should do next. Pure, thread-safe.

#include <umavez/record.hpp>
#include <umavez/time.hpp>

#include <string>

namespace umavez::operators {

struct Advice {
    std::string state;    // "in doubt", "abandoned", "expired": finer than the status
    std::string meaning;  // what retries are told included
    std::string next;     // what to do
};

// `record`: null where there is none.
Advice advise(const Record* record, Instant now);

}  // namespace umavez::operators
