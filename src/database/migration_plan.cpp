#include "database/migration_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez {
namespace {

// Modules in order of appearance, with the newest version each one knows.
Result<std::vector<MigrationState>> known_modules(std::span<const Migration> migrations)
{
    std::vector<MigrationState> modules;
    for (const Migration& migration : migrations) {
        auto module = std::ranges::find(modules, migration.module, &MigrationState::module);
        if (module == modules.end()) {
            module = modules.insert(modules.end(), {.module = migration.module});
        }
        if (migration.version != module->known + 1) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "migrations of {}: version {} follows {}; they are numbered 1, 2, 3 … without "
                    "gaps",
                    migration.module,
                    migration.version,
                    module->known
                )
            );
        }
        module->known = migration.version;
    }
    return modules;
}

}  // namespace

Result<std::vector<const Migration*>> plan_migrations(
    std::span<const Migration> migrations, const AppliedMigrations& applied
)
{
    const auto modules = known_modules(migrations);
    if (!modules) return std::unexpected(modules.error());
    for (const MigrationState& module : *modules) {
        const auto versions = applied.find(module.module);
        if (versions == applied.end() || versions->second.empty()) continue;
        const int newest = *versions->second.rbegin();
        if (newest > module.known) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "the schema of {} in this database is version {}, this program knows {}: use "
                    "the "
                    "newer program, or the backup made before it",
                    module.module,
                    newest,
                    module.known
                )
            );
        }
        if (*versions->second.begin() != 1 || static_cast<int>(versions->second.size()) != newest) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "the schema of {} in this database is version {} but an earlier step is "
                    "missing "
                    "from umavez_migrations; restore a backup",
                    module.module,
                    newest
                )
            );
        }
    }
    std::vector<const Migration*> missing;
    for (const Migration& migration : migrations) {
        const auto versions = applied.find(migration.module);
        if (versions == applied.end() || !versions->second.contains(migration.version)) {
            missing.push_back(&migration);
        }
    }
    return missing;
}

std::vector<MigrationState> state_of_migrations(
    std::span<const Migration> migrations, const AppliedMigrations& applied
)
{
    std::vector<MigrationState> states;
    const auto state_of = [&states](const std::string& module) -> MigrationState& {
        const auto state = std::ranges::find(states, module, &MigrationState::module);
        if (state != states.end()) return *state;
        return states.emplace_back(MigrationState{.module = module});
    };
    for (const Migration& migration : migrations) {
        MigrationState& state = state_of(migration.module);
        state.known = std::max(state.known, migration.version);
    }
    for (const auto& [module, versions] : applied) {
        if (!versions.empty()) state_of(module).applied = *versions.rbegin();
    }
    return states;
}

}  // namespace umavez
