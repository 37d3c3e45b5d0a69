#pragma once

// Commands: what the program can do, as a table. The command line, its help and its errors are made
// from it (command_line.hpp); a new command is one more function that returns a Command. Immutable.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

struct CommandOption {
    std::string flag;        // "--canonical"
    std::string value_name;  // empty: a switch
    std::string help;
};

// What the user wrote.
struct Invocation {
    std::map<std::string, std::string> options;  // only those given; a switch has an empty value
    std::vector<std::string> arguments;

    bool has(std::string_view flag) const { return options.contains(std::string{flag}); }
    std::optional<std::string> find(std::string_view flag) const
    {
        const auto found = options.find(std::string{flag});
        return found == options.end() ? std::nullopt : std::optional{found->second};
    }
};

struct Command {
    std::string name;  // "config check": the second word is a command of the first
    std::string summary;
    std::string example;
    std::vector<CommandOption> options;
    bool takes_settings = false;  // --config and the flags of setting_specs() are added
    std::string argument;         // "FILE"; empty: takes none
    std::function<int(const Invocation&)> run;
};

Command serve_command();
Command worker_command();
Command config_check_command();
Command migrate_command();
Command sweep_command();
Command records_command();
Command explain_command();
Command release_command();
Command resolve_command();
Command token_create_command();
Command token_list_command();
Command token_revoke_command();
Command webhook_list_command();
Command webhook_show_command();
Command webhook_redrive_command();
Command webhook_quarantine_command();
Command webhook_send_command();
Command accounts_add_command();
Command accounts_list_command();
Command accounts_remove_command();
Command deliveries_list_command();
Command deliveries_redrive_command();
Command messages_list_command();
Command messages_redrive_command();
Command messages_drop_command();
Command broker_forget_command();
Command mailing_import_command();
Command mailing_list_command();
Command mailing_show_command();
Command mailing_start_command();
Command mailing_pause_command();
Command mailing_resume_command();
Command mailing_cancel_command();
Command mailing_retry_command();
Command fiscal_show_command();
Command fiscal_reconcile_command();
Command fiscal_numbers_command();
Command fiscal_codes_command();
Command fiscal_status_command();
Command backup_command();
Command fingerprint_command();
Command simulate_command();
Command authority_simulator_command();
Command key_new_command();
Command version_command();

// In the order of the help.
std::vector<Command> all_commands();

// What the commands with this first word are about: "Tokens".
std::string group_title(std::string_view group);

// Whether `flag` was not given, or with one of `words`. Otherwise it complained, and the command
// ends with exit_usage.
bool check_word(
    const Invocation& invocation, std::string_view flag, const std::vector<std::string>& words
);

// A sentence for people on standard error, red where that is wanted. Gives back `code`.
int complain(std::string_view sentence, int code = exit_failed);

}  // namespace umavez
