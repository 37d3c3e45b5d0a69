// [operation."name"]: the file's say on the policy of an operation.

#include "app/operation_settings.hpp"

#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "core/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez {
namespace {

std::unexpected<Error> fail_unknown(
    const std::string& name, std::span<const OperationSpec> operations
)
{
    std::vector<std::string> known;
    for (const OperationSpec& operation : operations) known.push_back(operation.name);
    return fail(
        Errc::misconfigured,
        fmt::format(
            "unknown operation \"{}\"{}; known: {}",
            shown(name),
            suggestion(name, known),
            known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))
        )
    );
}

std::unexpected<Error> fail_of(const std::string& name, const Error& error)
{
    return fail(
        Errc::misconfigured, fmt::format("operation \"{}\": {}", shown(name), error.detail)
    );
}

}  // namespace

Result<void> take_operation_entry(const ConfigEntry& entry, Settings& settings)
{
    // [operation] and [operation."name"] that set nothing.
    if (entry.type == ConfigType::table && entry.path.size() < 3) return {};
    if (entry.path.size() != 3) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{}: settings of an operation stand under [operation.\"name\"]; quote a name that "
                "has dots",
                shown(fmt::format("{}", fmt::join(entry.path, ".")))
            )
        );
    }
    const std::string& name = entry.path[1];
    const std::string& field = entry.path[2];
    Result<void> taken;
    if (const auto example = policy_field_example(field)) {
        taken = check_type(entry, *example);
        if (!taken) taken.error().detail = fmt::format("{}: {}", field, taken.error().detail);
    }
    Policy probe;
    if (taken) taken = apply_overrides({{field, entry.value}}, probe);
    if (!taken) return fail_of(name, taken.error());
    settings.operations[name][field] = entry.value;
    return {};
}

Result<void> configure_operations(
    const std::map<std::string, PolicyOverrides>& overrides, std::span<OperationSpec> operations
)
{
    const Offered offered{.store_name = "SQLite", .atomic = true, .leased = true, .cached = false};
    for (const auto& [name, fields] : overrides) {
        const auto found = std::ranges::find(operations, name, &OperationSpec::name);
        if (found == operations.end()) return fail_unknown(name, operations);
        if (auto applied = apply_overrides(fields, found->policy); !applied) {
            return fail_of(name, applied.error());
        }
        Policy policy = found->policy;
        policy.has_reconciler = static_cast<bool>(found->reconcile);
        const Registered registered{.has_current = static_cast<bool>(found->current)};
        if (auto checked = validate(name, policy, offered, registered); !checked) return checked;
    }
    return {};
}

}  // namespace umavez
