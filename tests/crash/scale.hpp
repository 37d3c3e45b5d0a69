#pragma once

// How much the crash tests do: about a hundred kills by default, fewer under a sanitizer, thousands
// with UMAVEZ_TORTURE=1; UMAVEZ_SEED repeats a run. Immutable.

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace umavez::crash {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)  // clang's way to tell
inline constexpr bool is_sanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool is_sanitized = false;
#endif

inline bool is_torture()
{
    const char* const text = std::getenv("UMAVEZ_TORTURE");
    return text != nullptr && std::string{text} != "0";
}

inline std::uint64_t seed_of_run()
{
    if (const char* const text = std::getenv("UMAVEZ_SEED"))
        return std::strtoull(text, nullptr, 10);
    return std::random_device{}();
}

}  // namespace umavez::crash
