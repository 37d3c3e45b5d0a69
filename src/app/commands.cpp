#include "app/commands.hpp"

#include "app/people.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace umavez {
std::vector<Command> all_commands()
{
    return {
        serve_command(),
        worker_command(),
        config_check_command(),
        migrate_command(),
        records_command(),
        explain_command(),
        release_command(),
        resolve_command(),
        sweep_command(),
        token_create_command(),
        token_list_command(),
        token_revoke_command(),
        webhook_list_command(),
        webhook_show_command(),
        webhook_redrive_command(),
        webhook_quarantine_command(),
        webhook_send_command(),
        accounts_add_command(),
        accounts_list_command(),
        accounts_remove_command(),
        deliveries_list_command(),
        deliveries_redrive_command(),
        messages_list_command(),
        messages_redrive_command(),
        messages_drop_command(),
        broker_forget_command(),
        mailing_import_command(),
        mailing_list_command(),
        mailing_show_command(),
        mailing_start_command(),
        mailing_pause_command(),
        mailing_resume_command(),
        mailing_cancel_command(),
        mailing_retry_command(),
        fiscal_show_command(),
        fiscal_reconcile_command(),
        fiscal_numbers_command(),
        fiscal_codes_command(),
        fiscal_status_command(),
        backup_command(),
        fingerprint_command(),
        simulate_command(),
        authority_simulator_command(),
        key_new_command(),
        version_command(),
    };
}

std::string group_title(std::string_view group)
{
    static const std::map<std::string_view, std::string_view> titles{
        {"token", "Tokens"},
        {"webhook", "Events of providers"},
        {"accounts", "Accounts of providers and their tenants"},
        {"deliveries", "Our events on their way to tenants"},
        {"messages", "Messages to workers and to the broker"},
        {"mailing", "Mailings"},
        {"fiscal", "Fiscal documents"},
    };
    const auto found = titles.find(group);
    return std::string{found == titles.end() ? group : found->second};
}

bool check_word(
    const Invocation& invocation, std::string_view flag, const std::vector<std::string>& words
)
{
    const auto word = invocation.find(flag);
    if (!word || std::ranges::find(words, *word) != words.end()) return true;
    complain(fmt::format(
        "{}: \"{}\" is not one of {}{}",
        flag,
        shown(*word),
        fmt::join(words, ", "),
        suggestion(*word, words)
    ));
    return false;
}

int complain(std::string_view sentence, int code)
{
    const bool colour = wants_colour(stderr);
    fmt::print(
        stderr, "{}umavez:{} {}\n", colour ? "\x1b[31m" : "", colour ? "\x1b[0m" : "", sentence
    );
    return code;
}

}  // namespace umavez
