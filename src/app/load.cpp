#include "app/load.hpp"

#include "access/token_table.hpp"
#include "base/shown.hpp"
#include "database/sqlite/database_path.hpp"
#include "database/url.hpp"
#include "store/sqlite/schema.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace umavez {
namespace {

std::optional<std::string> from_environment(const std::string& name)
{
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

// A file that is there must be writable, else its directory.
Result<void> check_writable(const std::string& path)
{
    const std::filesystem::path file{path};
    const bool exists = std::filesystem::exists(file);
    const std::filesystem::path checked = exists ? file : file.parent_path();
    if (::access(checked.c_str(), W_OK) == 0) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "database: {} cannot be written; change its owner or mode, or choose another path with "
            "--database",
            shown(checked.string())
        )
    );
}

}  // namespace

Result<Settings> load_settings(const Invocation& invocation)
{
    return load_settings(
        SettingSources{.flags = invocation.options, .environment = from_environment}
    );
}

int refuse_settings(const Error& error)
{
    return complain(error.detail, error.detail.starts_with("--") ? exit_usage : exit_failed);
}

std::vector<Migration> all_migrations(const Modules& modules)
{
    std::vector<Migration> all;
    for (const std::span<const Migration> migrations :
         {sqlite_store_migrations(),
          access::token_migrations(),
          std::span<const Migration>{modules.migrations}}) {
        all.insert(all.end(), migrations.begin(), migrations.end());
    }
    return all;
}

Result<void> check_settings(const Settings& settings)
{
    const auto url = parse_database_url(settings.database);
    if (!url) return fail(Errc::misconfigured, "database: " + url.error().detail);
    if (!url->is_memory()) {
        const auto path = resolve_database_path(url->path, false);
        if (!path) return fail(Errc::misconfigured, "database: " + path.error().detail);
        if (auto checked = check_writable(*path); !checked) return checked;
    }
    const auto modules = load_modules(settings);
    if (!modules) return std::unexpected(modules.error());
    return {};
}

Result<OpenEngine> open_all(
    const Settings& settings, EngineOptions options, const DatabaseOptions& database_options
)
{
    auto database = open_database(settings.database, database_options);
    if (!database) return fail(database.error().code, "database: " + database.error().detail);
    options.audit_retention = settings.audit_retention;
    auto engine = open_engine(**database, options);
    if (!engine) return fail(engine.error().code, "database: " + engine.error().detail);

    auto modules = load_modules(settings);
    if (!modules) return std::unexpected(modules.error());
    if (auto migrated = (*database)->migrate(modules->migrations); !migrated) {
        return fail(migrated.error().code, "database: " + migrated.error().detail);
    }
    for (const OperationSpec* const operation : modules->api.operations()) {
        if (auto declared = (*engine)->declare(*operation); !declared) {
            return std::unexpected(declared.error());
        }
    }
    if (auto started = (*engine)->start(); !started) return std::unexpected(started.error());
    return OpenEngine{*std::move(modules), *std::move(database), *std::move(engine)};
}

Result<void> check_listen(const ListenAddress& listen, bool has_tokens)
{
    if (has_tokens || listen.is_loopback()) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "listen: {} is not a loopback address, and without a token everybody who reaches it is "
            "served; make a token with `umavez token create --tenant default --role operator`, or "
            "listen on 127.0.0.1 or [::1]",
            listen.address
        )
    );
}

std::string database_path(const Settings& settings)
{
    const auto url = parse_database_url(settings.database);
    if (!url || url->is_memory()) return {};
    return resolve_database_path(url->path, false).value_or("");
}

std::string control_socket_path(const Settings& settings)
{
    const std::string path = database_path(settings);
    return path.empty() ? path : path + ".sock";
}

}  // namespace umavez
