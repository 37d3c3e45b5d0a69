// Commands about the database: config check, migrate.

#include "app/check_settings.hpp"
#include "app/commands.hpp"
#include "app/fiscal_certificates.hpp"
#include "app/load.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <span>

namespace umavez {
namespace {

// With these a server starts, and refuses documents.
int check_certificates(const FiscalSettings& settings)
{
    const CertificateReport report = report_certificates(settings, system_clock().realtime());
    for (const std::string& warning : report.warnings) complain("warning: " + warning);
    for (const std::string& fault : report.faults) complain(fault);
    return report.faults.empty() ? exit_done : exit_failed;
}

int check_config(const Invocation& invocation)
{
    const auto settings = load_settings(invocation);
    if (!settings) return refuse_settings(settings.error());
    if (const auto checked = check_settings(*settings); !checked)
        return complain(checked.error().detail);
    if (const auto checked = check_listen(*settings); !checked)
        return complain(checked.error().detail);
    if (const int code = check_certificates(settings->fiscal); code != exit_done) return code;
    fmt::print("{}: ok\n", settings->config_path.empty() ? "settings" : settings->config_path);
    return exit_done;
}

int print_migrations(Database& database, std::span<const Migration> migrations)
{
    const auto states = database.migration_state(migrations);
    if (!states) return complain("database: " + states.error().detail);
    for (const MigrationState& state : *states) {
        fmt::print("{} {} of {}\n", state.module, state.applied, state.known);
    }
    return exit_done;
}

int migrate(const Invocation& invocation)
{
    const auto settings = load_settings(invocation);
    if (!settings) return refuse_settings(settings.error());
    const auto modules = load_modules(*settings);
    if (!modules) return complain(modules.error().detail);
    const std::vector<Migration> migrations = all_migrations(*modules, dialect_of(*settings));
    const bool only_status = invocation.has("--status");
    const auto database = open_database(settings->database, {.must_exist = only_status});
    if (!database) return complain("database: " + database.error().detail);
    if (!only_status) {
        if (const auto done = (*database)->migrate(migrations); !done) {
            return complain("database: " + done.error().detail);
        }
    }
    return print_migrations(**database, migrations);
}

}  // namespace

Command config_check_command()
{
    return {
        .name = "config check",
        .summary = "Check settings without starting anything",
        .example = "umavez config check --config umavez.toml",
        .options = {},
        .takes_settings = true,
        .argument = {},
        .run = check_config,
    };
}

Command migrate_command()
{
    return {
        .name = "migrate",
        .summary = "Bring the tables of a database up to date",
        .example = "umavez migrate --database sqlite:umavez.db --status",
        .options = {{"--status", "", "only tell what is applied"}},
        .takes_settings = true,
        .argument = {},
        .run = migrate,
    };
}

}  // namespace umavez
