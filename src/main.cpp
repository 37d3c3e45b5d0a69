// The program: one table of commands, see app/commands.hpp.

#include "app/command_line.hpp"
#include "app/commands.hpp"

#include <exception>

int main(int argc, char** argv)
{
    try {
        return umavez::run_command_line(argc, argv, umavez::all_commands());
    } catch (const std::exception& exception) {
        return umavez::complain(exception.what());
    }
}
