#include "app/modules.hpp"

#include "app/fiscal.hpp"
#include "app/mailings.hpp"
#include "app/operation_settings.hpp"
#include "app/webhooks.hpp"
#include "key_protocol/problems.hpp"
#include "messaging/outbox.hpp"
#include "messaging/routes.hpp"
#include "modules/cobranca/answers.hpp"
#include "modules/cobranca/routes.hpp"
#include "modules/cobranca/schema.hpp"
#include "modules/fiscal/answers.hpp"
#include "modules/fiscal/numbering/answers.hpp"
#include "modules/fiscal/numbering/routes.hpp"
#include "modules/fiscal/schema.hpp"
#include "modules/mailing/routes.hpp"
#include "modules/mailing/schema.hpp"
#include "modules/propostas/answers.hpp"
#include "modules/propostas/operations.hpp"
#include "modules/propostas/routes.hpp"
#include "modules/propostas/schema.hpp"
#include "operators/refusals.hpp"
#include "webhook/inbox/ingress.hpp"
#include "webhook/inbox/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace umavez {
namespace {

// The file's say on the policies that modules declare. Whether rows and record commit together is
// in the code of a route, and no setting changes it.
Result<void> configure(const Settings& settings, Modules& modules)
{
    for (const auto& [name, fields] : settings.operations) {
        if (name == fiscal::emitir_operation || name == fiscal::cancelar_operation ||
            name == fiscal::inutilizar_operation) {
            return fail(
                Errc::misconfigured,
                "operation \"" + name +
                    "\": how documents are sent is set in [fiscal]: lease, assentamento, tentativas"
            );
        }
        if (!fields.contains("retention")) continue;
        if (const auto why = propostas::why_retention_is_fixed(name)) {
            return fail(
                Errc::misconfigured, "operation \"" + name + "\": retention: " + std::string{*why}
            );
        }
    }
    std::vector<OperationSpec*> declared = modules.api.operations();
    for (OperationSpec& operation : modules.workers) declared.push_back(&operation);
    std::vector<OperationSpec> operations;
    for (const OperationSpec* const operation : declared) operations.push_back(*operation);
    if (auto configured = configure_operations(settings.operations, operations); !configured) {
        return configured;
    }
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const Guarantee guarantee = declared[i]->policy.guarantee;
        if (operations[i].policy.guarantee != guarantee) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "operation.{}.guarantee: this operation is {}; leave it so",
                    operations[i].name,
                    to_text(guarantee)
                )
            );
        }
        declared[i]->policy = operations[i].policy;
    }
    return {};
}

}  // namespace

Result<Modules> load_modules(const Settings& settings)
{
    Modules modules{.problems = key_protocol::standard_problems()};
    propostas::add_routes(modules.api, settings.propostas);
    cobranca::add_routes(modules.api);
    mailing::add_routes(modules.api, premises_of(settings));
    fiscal::add_numbering_routes(modules.api, issuer_rule(settings.fiscal));
    messaging::add_routes(
        modules.api, {.allow_private = settings.webhook.allow_private_destinations}
    );
    modules.workers = worker_operations();
    const Dialect dialect = dialect_of(settings);
    for (const std::span<const Migration> migrations :
         {propostas::migrations(dialect),
          messaging::migrations(dialect),
          webhook::migrations(dialect),
          cobranca::migrations(dialect),
          mailing::migrations(dialect),
          fiscal::migrations(dialect)}) {
        std::ranges::copy(migrations, std::back_inserter(modules.migrations));
    }
    modules.problems.add_all(propostas::problem_kinds());
    modules.problems.add_all(cobranca::problem_kinds());
    modules.problems.add_all(fiscal::problem_kinds());
    modules.problems.add_all(fiscal::numbering_problem_kinds());
    modules.problems.add_all(messaging::problem_kinds());
    modules.problems.add_all(webhook::problem_kinds());
    modules.problems.add_all(operators::problem_kinds());
    if (auto configured = configure(settings, modules); !configured) {
        return std::unexpected(configured.error());
    }
    return modules;
}

}  // namespace umavez
