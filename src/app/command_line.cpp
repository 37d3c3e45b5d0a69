#include "app/command_line.hpp"

#include "app/settings.hpp"
#include "app/version.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <iostream>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>

namespace umavez {
namespace {

// The parser writes through pointers it is given; this is what they point to.
struct Parsed {
    const Command* command = nullptr;
    CLI::App* app = nullptr;
    std::deque<std::pair<CLI::Option*, std::string>> values;  // a deque: elements keep their place
    std::string argument;  // no vector: the parser would take [a,b] apart
};

// The parser reads `++` as the end of a command, and `--flag=` as a flag whose value is the next
// word. A byte that no argument can hold keeps them from being that; as_written() takes it off.
constexpr char kept = '\0';

std::string keep(std::string word)
{
    const bool is_read_otherwise = word == "++" || (word.starts_with("--") && word.ends_with('='));
    if (is_read_otherwise) word += kept;
    return word;
}

std::string as_written(std::string word)
{
    if (word.ends_with(kept)) word.pop_back();
    return word;
}

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

std::string first_word(const std::string& name)
{
    return name.substr(0, name.find(' '));
}

// "Tokens: create, list, revoke"; one alone tells what it does.
std::string describe_group(const std::string& group, const std::vector<Command>& commands)
{
    std::vector<std::string> members;
    std::string summary;
    for (const Command& command : commands) {
        if (first_word(command.name) != group) continue;
        members.push_back(command.name.substr(group.size() + 1));
        summary = command.summary;
    }
    if (members.size() == 1) return summary;
    return fmt::format("{}: {}", group_title(group), fmt::join(members, ", "));
}

CLI::App* make_subcommand(
    CLI::App& root, const Command& command, const std::vector<Command>& commands
)
{
    const std::string first = first_word(command.name);
    if (first == command.name) return root.add_subcommand(command.name, command.summary);
    const auto groups =
        root.get_subcommands([&first](CLI::App* app) { return app->get_name() == first; });
    CLI::App* const parent = groups.empty()
                                 ? root.add_subcommand(first, describe_group(first, commands))
                                 : groups.front();
    parent->require_subcommand(1);
    return parent->add_subcommand(command.name.substr(first.size() + 1), command.summary);
}

void build(CLI::App& root, const std::vector<Command>& commands, std::deque<Parsed>& all)
{
    root.require_subcommand(1);
    root.set_version_flag("--version", fmt::format("umavez {}", program_version));
    root.footer("umavez COMMAND --help shows an example of each");
    for (const Command& command : commands) {
        Parsed& parsed = all.emplace_back();
        parsed.command = &command;
        parsed.app = make_subcommand(root, command, commands);
        parsed.app->footer("Example:\n  " + command.example);
        for (const CommandOption& option : command.options) add_option(parsed, option);
        if (command.takes_settings) add_settings(parsed);
        if (!command.argument.empty()) {
            parsed.app->add_option(command.argument, parsed.argument)->required();
        }
    }
}

// The command that the words name, as far as they do.
struct Named {
    const CLI::App* app;
    std::string name;  // "umavez token"
    std::span<const std::string> rest;
};

Named find_named(const CLI::App& root, std::span<const std::string> words)
{
    Named named{&root, root.get_name(), words};
    while (!named.rest.empty()) {
        const std::string& word = named.rest.front();
        const auto next = named.app->get_subcommands([&word](const CLI::App* app) {
            return app->get_name() == word;
        });
        if (next.empty()) break;
        named = {next.front(), named.name + ' ' + word, named.rest.subspan(1)};
    }
    return named;
}

// The first word that looks like an option and is none.
std::optional<std::string> find_unknown_option(const Named& named)
{
    for (std::size_t at = 0; at < named.rest.size() && named.rest[at] != "--"; ++at) {
        const std::string& word = named.rest[at];
        const bool is_negative = word.find_first_of("0123456789") == 1;
        if (word.size() < 2 || !word.starts_with('-') || is_negative) continue;
        std::string flag = word.substr(0, word.find('='));
        const CLI::Option* const option = named.app->get_option_no_throw(flag);
        if (option == nullptr) return flag;
        if (option->get_items_expected_max() > 0 && flag == word) ++at;  // its value
    }
    return std::nullopt;
}

std::vector<std::string> options_of(const CLI::App& app)
{
    std::vector<std::string> flags;
    for (const CLI::Option* const option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
    return flags;
}

// What is wrong, and which word is near to the one that is.
std::string explain(const CLI::ParseError& error, const CLI::App& root, const Named& named)
{
    std::vector<std::string> commands;
    for (const CLI::App* const app :
         named.app->get_subcommands([](const CLI::App*) { return true; }))
        commands.push_back(app->get_name());
    if (!commands.empty() && named.rest.empty()) {
        return fmt::format("a command is needed: {}", fmt::join(commands, ", "));
    }
    if (!commands.empty() && !named.rest.front().starts_with('-')) {
        const std::string& given = named.rest.front();
        return fmt::format("no command \"{}\"{}", shown(given), suggestion(given, commands));
    }
    if (const auto flag = find_unknown_option(named)) {
        return fmt::format(
            "no option \"{}\"{}", shown(*flag), suggestion(*flag, options_of(*named.app))
        );
    }
    const std::vector<std::string> extra = root.remaining(true);
    if (!extra.empty())
        return fmt::format("\"{}\" is not expected", shown(as_written(extra.front())));
    return shown(error.what());
}

Invocation to_invocation(const Parsed& parsed)
{
    Invocation invocation;
    for (const auto& [option, value] : parsed.values) {
        if (option->count() > 0)
            invocation.options.emplace("--" + option->get_lnames().front(), as_written(value));
    }
    if (!parsed.command->argument.empty())
        invocation.arguments.push_back(as_written(parsed.argument));
    return invocation;
}

// `umavez help token create` is `umavez token create --help`.
std::vector<std::string> read_words(int argc, const char* const* argv)
{
    std::vector<std::string> words{argv + std::min(argc, 1), argv + argc};
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    return words;
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
    const std::vector<std::string> words = read_words(argc, argv);
    std::vector<std::string> reversed;  // as the parser takes them
    std::ranges::transform(words.rbegin(), words.rend(), std::back_inserter(reversed), keep);
    try {
        root.parse(std::move(reversed));
    } catch (const CLI::Success& wanted) {
        return flushed(root.exit(wanted));
    } catch (const CLI::ParseError& error) {
        const Named named = find_named(root, words);
        return complain(
            fmt::format("{}; see {} --help", explain(error, root, named), named.name), exit_usage
        );
    }
    const auto chosen =
        std::ranges::find_if(all, [](const Parsed& parsed) { return parsed.app->parsed(); });
    if (chosen == all.end()) return complain("a command is needed; see umavez --help", exit_usage);
    return run_and_flush(*chosen->command, to_invocation(*chosen));
}

}  // namespace umavez
