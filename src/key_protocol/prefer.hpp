#pragma once

// Prefer: wait=N (RFC 7240): how long a duplicate is ready to wait for the first.
//
// A preference is a wish, not a demand: what cannot be read is ignored, never refused.
// Pure, thread-safe.

#include <umavez/response.hpp>
#include <umavez/time.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace umavez::key_protocol {

struct Wait {
    std::chrono::seconds duration{};  // what is granted; 0 means not to wait at all
    friend bool operator==(const Wait&, const Wait&) = default;
};

// The first `wait` among all preferences of all lines, cut to the whole seconds of `wait_max`.
// Nullopt where there is none, where its value is no number, and where `wait_max` allows no wait.
std::optional<Wait> read_wait(const std::vector<Header>& headers, Duration wait_max);

// "wait=10": the value of Preference-Applied.
std::string to_preference(const Wait& wait);

}  // namespace umavez::key_protocol
