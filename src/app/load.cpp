#include "app/load.hpp"

#include "access/token_table.hpp"
#include "app/fiscal_desk.hpp"
#include "app/mailing_desk.hpp"
#include "app/mailings.hpp"
#include "database/postgres/url.hpp"
#include "database/sqlite/database_path.hpp"
#include "database/url.hpp"
#include "messaging/routes.hpp"
#include "modules/fiscal/routes.hpp"
#include "modules/mailing/routes.hpp"
#include "store/postgres/schema.hpp"
#include "store/sqlite/schema.hpp"
#include "webhook/inbox/operator_routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace umavez {
namespace {

std::optional<std::string> from_environment(const std::string& name)
{
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>{value};
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
    return complain(error.detail, error.code == Errc::invalid_argument ? exit_usage : exit_failed);
}

std::vector<Migration> all_migrations(const Modules& modules, Dialect dialect)
{
    std::vector<Migration> all;
    for (const std::span<const Migration> migrations :
         {dialect == Dialect::postgres ? postgres_store_migrations() : sqlite_store_migrations(),
          access::token_migrations(dialect),
          std::span<const Migration>{modules.migrations}}) {
        all.insert(all.end(), migrations.begin(), migrations.end());
    }
    return all;
}

Result<OpenEngine> open_all(
    const Settings& settings,
    EngineOptions options,
    const DatabaseOptions& database_options,
    OnProcessed on_processed,
    OnFiscal on_fiscal
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
    auto webhooks =
        make_webhooks(settings, **engine, **database, modules->workers, std::move(on_processed));
    if (!webhooks) return std::unexpected(webhooks.error());
    auto fiscal = std::make_unique<Fiscal>(settings, **engine, **database, std::move(on_fiscal));
    fiscal::add_routes(modules->api, fiscal->module());
    const std::vector<OperationSpec> of_documents = fiscal::operations(fiscal->module());
    std::vector<const OperationSpec*> operations;
    for (const OperationSpec* const operation : modules->api.operations())
        operations.push_back(operation);
    for (const OperationSpec& operation : modules->workers) operations.push_back(&operation);
    for (const OperationSpec& operation : of_documents) operations.push_back(&operation);
    for (const OperationSpec* const operation : operations) {
        if (auto declared = (*engine)->declare(*operation); !declared) {
            return std::unexpected(declared.error());
        }
    }
    if (auto started = (*engine)->start(); !started) return std::unexpected(started.error());
    return OpenEngine{
        *std::move(modules),
        *std::move(database),
        std::move(fiscal),
        *std::move(engine),
        *std::move(webhooks)
    };
}

std::vector<key_protocol::CallRoute> more_operator_routes(
    const operators::OperatorNeeds& needs,
    const Settings& settings,
    Fiscal& fiscal,
    std::function<void()> on_ordered
)
{
    std::vector<key_protocol::CallRoute> routes = webhook::operator_routes(needs);
    std::ranges::move(messaging::operator_routes(needs), std::back_inserter(routes));
    const mailing::OperatorPremises premises{premises_of(settings), std::move(on_ordered)};
    std::ranges::move(mailing::operator_routes(needs, premises), std::back_inserter(routes));
    std::ranges::move(fiscal_operator_routes(needs, fiscal.module()), std::back_inserter(routes));
    return routes;
}

std::vector<key_protocol::CallRoute> more_local_routes(
    const operators::OperatorNeeds& needs,
    const Settings& settings,
    Fiscal& fiscal,
    const std::function<void()>& on_ordered
)
{
    auto routes = more_operator_routes(needs, settings, fiscal, on_ordered);
    std::ranges::move(
        local_mailing_routes(needs, settings, on_ordered), std::back_inserter(routes)
    );
    return routes;
}

Dialect dialect_of(const Settings& settings)
{
    return pg::is_postgres_url(settings.database) ? Dialect::postgres : Dialect::sqlite;
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
