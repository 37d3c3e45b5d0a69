#include "app/commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace umavez {
namespace {

bool wants_colour()
{
    const char* const term = std::getenv("TERM");
    const char* const no_colour = std::getenv("NO_COLOR");
    return ::isatty(STDERR_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
           (term == nullptr || std::string_view{term} != "dumb");
}

}  // namespace

std::vector<Command> all_commands()
{
    return {
        serve_command(),
        config_check_command(),
        migrate_command(),
        sweep_command(),
        fingerprint_command(),
        simulate_command(),
        key_new_command(),
        version_command(),
    };
}

int complain(std::string_view sentence, int code)
{
    const bool colour = wants_colour();
    fmt::print(
        stderr, "{}umavez:{} {}\n", colour ? "\x1b[31m" : "", colour ? "\x1b[0m" : "", sentence
    );
    return code;
}

}  // namespace umavez
