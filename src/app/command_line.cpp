#include "app/command_line.hpp"

#include "app/settings.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <iostream>
#include <system_error>

namespace umavez {
namespace {

// The parser writes through pointers it is given; this is what they point to.
struct Parsed {
    const Command* command = nullptr;
    CLI::App* app = nullptr;
    std::deque<std::pair<CLI::Option*, std::string>> values;  // a deque: elements keep their place
    std::vector<std::string> arguments;
};

void add_option(Parsed& parsed, const CommandOption& option)
{
    auto& value = parsed.values.emplace_back(nullptr, std::string{});
    if (option.value_name.empty()) {
        value.first = parsed.app->add_flag(option.flag, option.help);
    } else {
        value.first = parsed.app->add_option(option.flag, value.second, option.help);
        value.first->type_name(option.value_name);
    }
}

void add_settings(Parsed& parsed)
{
    add_option(
        parsed, {"--config", "FILE", "settings in TOML; UMAVEZ_CONFIG [umavez.toml if it is there]"}
    );
    for (const SettingSpec& spec : setting_specs()) {
        add_option(
            parsed,
            {spec.flag,
             spec.value_name,
             fmt::format("{}; {}, {} =", spec.help, spec.environment, spec.key)}
        );
    }
}

CLI::App* make_subcommand(CLI::App& root, const Command& command)
{
    const std::size_t space = command.name.find(' ');
    if (space == std::string::npos) return root.add_subcommand(command.name, command.summary);
    const std::string first = command.name.substr(0, space);
    const auto groups =
        root.get_subcommands([&first](CLI::App* app) { return app->get_name() == first; });
    CLI::App* const parent =
        groups.empty() ? root.add_subcommand(first, command.summary) : groups.front();
    if (!groups.empty()) parent->description(parent->get_description() + "; " + command.summary);
    parent->require_subcommand(1);
    return parent->add_subcommand(command.name.substr(space + 1), command.summary);
}

void build(CLI::App& root, const std::vector<Command>& commands, std::deque<Parsed>& all)
{
    root.require_subcommand(1);
    root.footer("umavez COMMAND --help shows an example of each");
    for (const Command& command : commands) {
        Parsed& parsed = all.emplace_back();
        parsed.command = &command;
        parsed.app = make_subcommand(root, command);
        parsed.app->footer("Example:\n  " + command.example);
        for (const CommandOption& option : command.options) add_option(parsed, option);
        if (command.takes_settings) add_settings(parsed);
        if (!command.argument.empty()) {
            parsed.app->add_option(command.argument, parsed.arguments)->required()->expected(1);
        }
    }
}

// A word that is no command: tell which one is near.
std::string explain_usage(
    const CLI::ParseError& error,
    int argc,
    const char* const* argv,
    const std::vector<Command>& commands
)
{
    std::vector<std::string> names;
    for (const Command& command : commands) {
        const std::string first = command.name.substr(0, command.name.find(' '));
        if (std::ranges::find(names, first) == names.end()) names.push_back(first);
    }
    if (argc < 2) {
        return fmt::format("a command is needed: {}; see umavez --help", fmt::join(names, ", "));
    }
    const std::string given = argv[1];
    if (!given.starts_with('-') && std::ranges::find(names, given) == names.end()) {
        return fmt::format(
            "no command \"{}\"{}; see umavez --help", shown(given), suggestion(given, names)
        );
    }
    return fmt::format(
        "{}; see umavez {} --help", shown(error.what()), given.starts_with('-') ? "" : given
    );
}

Invocation to_invocation(const Parsed& parsed)
{
    Invocation invocation;
    for (const auto& [option, value] : parsed.values) {
        if (option->count() > 0)
            invocation.options.emplace("--" + option->get_lnames().front(), value);
    }
    invocation.arguments = parsed.arguments;
    return invocation;
}

// What could not be written was not said: a full disk must not look like success.
int flushed(int code)
{
    std::cout.flush();
    if (std::cout && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return complain("standard output cannot be written");
}

int run_and_flush(const Command& command, const Invocation& invocation)
{
    try {
        return flushed(command.run(invocation));
    } catch (const std::system_error& error) {
        return complain(error.what());
    }
}

}  // namespace

int run_command_line(int argc, const char* const* argv, const std::vector<Command>& commands)
{
    CLI::App root{"umavez makes an effect happen once although its request is retried.", "umavez"};
    std::deque<Parsed> all;
    build(root, commands, all);
    try {
        root.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        return flushed(root.exit(help));
    } catch (const CLI::CallForAllHelp& help) {
        return flushed(root.exit(help));
    } catch (const CLI::ParseError& error) {
        return complain(explain_usage(error, argc, argv, commands), exit_usage);
    }
    const auto chosen =
        std::ranges::find_if(all, [](const Parsed& parsed) { return parsed.app->parsed(); });
    if (chosen == all.end()) return complain("a command is needed; see umavez --help", exit_usage);
    return run_and_flush(*chosen->command, to_invocation(*chosen));
}

}  // namespace umavez
