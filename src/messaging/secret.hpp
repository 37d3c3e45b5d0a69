#pragma once

// The secrets that sign webhooks, in the form of Standard Webhooks: `whsec_` and the base64 of random bytes.
// Pure but for the randomness; thread-safe.

#include "base/random.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::messaging {

std::string make_secret(Random& random);

// The bytes that sign. Nullopt: not a secret.
std::optional<std::string> decode_secret(std::string_view secret);

std::string to_base64(std::string_view bytes);

// Secrets of one destination, the newest first, separated by spaces as their column has them.
std::vector<std::string> split_secrets(std::string_view column);

// The column after a rotation: the new one, and the one that was newest so far. Both sign, so that the
// receiver can change over whenever it likes; an older one is dropped.
std::string rotate_secrets(std::string_view column, std::string_view fresh);

}  // namespace umavez::messaging
