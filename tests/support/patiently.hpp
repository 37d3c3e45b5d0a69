#pragma once

// patiently(): a call that is made again where the store refused it for want of time, as it may on a slow
// machine. Thread-safe, where the call is.

#include "support/wait.hpp"

#include <umavez/result.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace umavez::test {

// Such a refusal had no effect. `call` gives a Result; the last one is given back: what was done, or a
// refusal for another reason. Throws WaitNotMet where the deadline passes first.
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
