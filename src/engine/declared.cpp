#include "engine/declared.hpp"

#include "base/digest.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace umavez {
namespace {

std::string_view view(const Digest& digest)
{
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Key derive_key(const Request& request)
{
    Hasher hasher;
    hasher.part("umavez derived key 1");
    hasher.part(view(request.target.digest));
    hasher.part(view(request.fingerprint.digest));
    return *Key::parse("derived:" + to_hex(hasher.finish()));
}

}  // namespace

Result<void> Operations::add(OperationSpec spec)
{
    auto name = Operation::parse(spec.name);
    if (!name) {
        return fail(
            Errc::misconfigured, fmt::format("operation \"{}\": {}", spec.name, name.error().detail)
        );
    }
    if (by_name_.contains(spec.name)) {
        return fail(
            Errc::misconfigured,
            fmt::format("operation \"{}\" is declared twice; give each operation one name", spec.name)
        );
    }
    Policy policy = spec.policy;
    policy.has_reconciler = static_cast<bool>(spec.reconcile);
    auto declared = std::make_unique<Declared>(*std::move(name), std::move(spec), policy);
    ordered_.push_back(declared.get());
    std::ranges::sort(ordered_, {}, [](const Declared* each) { return each->name.text(); });
    by_name_.emplace(declared->name.text(), std::move(declared));
    return {};
}

Result<Declared*> Operations::find(const Operation& name) const
{
    const auto found = by_name_.find(name.text());
    if (found != by_name_.end()) return found->second.get();
    std::vector<std::string> names;
    names.reserve(ordered_.size());
    for (const Declared* each : ordered_) names.push_back(each->name.text());
    return fail(
        Errc::invalid_argument,
        fmt::format("unknown operation \"{}\"; declared are: {}", name.text(), fmt::join(names, ", "))
    );
}

Result<std::optional<RecordId>> take_record_id(Request& request, const Policy& policy)
{
    if (!request.key) return record_id_of(request, policy);
    return Result<std::optional<RecordId>>{
        std::in_place,
        std::in_place,
        std::move(request.tenant_id),
        std::move(request.operation),
        *std::move(request.key),
    };
}

Result<std::optional<RecordId>> record_id_of(const Request& request, const Policy& policy)
{
    if (request.key) return RecordId{request.tenant_id, request.operation, *request.key};
    switch (policy.key) {
        case KeyRule::optional: return std::nullopt;
        case KeyRule::derived:
            return RecordId{request.tenant_id, request.operation, derive_key(request)};
        case KeyRule::required: break;
    }
    return fail(
        Errc::invalid_argument,
        fmt::format("operation \"{}\" requires a key; send one", request.operation.text())
    );
}

}  // namespace umavez
