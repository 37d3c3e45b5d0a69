// The program itself, which kills itself where it is told: UMAVEZ_KILL_AT=<fault point>:<arrival>. What it
// reached is in the file UMAVEZ_ARRIVALS (kill_switch.hpp).

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "kill_switch.hpp"

#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

int main(int argc, char** argv)
{
    using namespace umavez;
    try {
        const char* const arrivals = std::getenv("UMAVEZ_ARRIVALS");
        const char* const kill_at = std::getenv("UMAVEZ_KILL_AT");
        std::optional<crash::KillSwitch> kill_switch;
        if (arrivals != nullptr) {
            const auto kill = kill_at == nullptr ? std::nullopt : crash::parse_kill_at(kill_at);
            if (kill_at != nullptr && !kill)
                return complain(std::string{"no fault point "} + kill_at);
            kill_switch.emplace(crash::map_arrivals(arrivals), kill);
            fault_hook.store(&*kill_switch);
        }
        return run_command_line(argc, argv, all_commands());
    } catch (const std::exception& exception) {
        return complain(exception.what());
    }
}
