#pragma once

// The scripts, one per primitive, as they are in scripts/. Immutable.

#include <cstddef>
#include <cstdint>
#include <string>

namespace umavez {

// In the order in which a batch sends them: what was noted happened before what is written now, and
// completions and heartbeats go before new claims.
enum class Script : std::uint8_t {
    note,
    replace,
    heartbeat,
    insert,
    find,
    ripen,
    due,
    ripe,
    forget,
    settle,
    plain
};

// `plain` is no script: a command as it is.
inline constexpr std::size_t scripts_count = static_cast<std::size_t>(Script::plain);

// The parts it needs and the script itself.
const std::string& text_of(Script script);

// What finds out whether the user may do all that the scripts do.
const std::string& trial_text();

}  // namespace umavez
