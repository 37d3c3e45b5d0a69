#pragma once

// The command line: from a table of commands to flags, help and errors. The only file pair that
// sees the parser behind it. Thread-safe.

#include "app/commands.hpp"

#include <vector>

namespace umavez {

// Runs the command that `argv` names. Wrong usage is exit_usage, with the nearest command or the
// help to ask.
int run_command_line(int argc, const char* const* argv, const std::vector<Command>& commands);

}  // namespace umavez
