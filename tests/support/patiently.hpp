#pragma once

// Calls that a slow machine may refuse. Thread-safe.

#include "support/wait.hpp"

#include <umavez/result.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace umavez::test {

// What was refused because it took too long had no effect: it is tried again, until it is done or refused for
// another reason. `call` gives a Result.
template <typename Call>
auto patiently(std::string_view what, Call call)
{
    std::optional<decltype(call())> last;
    wait_until(what, [&] {
        last.emplace(call());
        return last->has_value() || last->error().code != Errc::store_unavailable;
    });
    return *std::move(last);
}

}  // namespace umavez::test
