#pragma once

// UMAVEZ_ASSERT: our own promise, checked in every build.
//
// A broken promise calls a handler that an embedding program may replace; the default prints the place
// and aborts, the supervisor restarts, leases expire. Thread-safe.

#include <source_location>

namespace umavez {

using AssertHandler = void (*)(const char* condition, const std::source_location& where);

// Returns the previous handler. A handler must not return.
AssertHandler set_assert_handler(AssertHandler handler) noexcept;

[[noreturn]] void assert_failed(const char* condition, const std::source_location& where);

}  // namespace umavez

#define UMAVEZ_ASSERT(condition)                                                            \
    ((condition) ? static_cast<void>(0)                                                     \
                 : ::umavez::assert_failed(#condition, ::std::source_location::current()))
