// A shop that takes the same order twice and stores it once.

#include <umavez/engine.hpp>
#include <umavez/fingerprint.hpp>

#include <chrono>
#include <cstdio>
#include <string>

using namespace umavez;

namespace {

int complain(const Error& error)
{
    std::printf("%s\n", error.detail.c_str());
    return 1;
}

Result<Outcome> order(Engine& engine, const std::string& body)
{
    const auto fingerprint = fingerprint_json(body);
    if (!fingerprint) return std::unexpected(fingerprint.error());
    Request request{
        .tenant_id = *TenantId::parse("default"),
        .operation = *Operation::parse("pedidos.criar"),
        .key = *Key::parse("order-1"),
        .target = make_target({"POST", "/pedidos"}),
        .fingerprint = *fingerprint,
        .wait = {},
    };
    return engine.atomically(std::move(request), [&body](Transaction& tx) -> Result<Response> {
        const auto inserted = tx.execute("INSERT INTO pedidos (body) VALUES ($1)", {body});
        if (!inserted) return std::unexpected(inserted.error());
        return Response{.status = 201, .headers = {}, .body = body, .entity = {}};
    });
}

}  // namespace

int main(int, char** argv)
{
    const auto database = open_database(std::string{"sqlite:"} + argv[1]);
    if (!database) return complain(database.error());
    const Migration tables{
        .module = "shop", .version = 1, .sql = "CREATE TABLE pedidos (body TEXT)"
    };
    if (const auto migrated = (*database)->migrate({&tables, 1}); !migrated)
        return complain(migrated.error());

    const auto engine = open_engine(**database);
    if (!engine) return complain(engine.error());
    OperationSpec operation;
    operation.name = "pedidos.criar";
    operation.policy.key = KeyRule::required;
    operation.policy.atomic_run_limit = std::chrono::hours{1};  // no stall is a run too long
    if (const auto declared = (*engine)->declare(operation); !declared)
        return complain(declared.error());
    if (const auto started = (*engine)->start(); !started) return complain(started.error());

    const auto first = order(**engine, "{\"total\": 10.0}");
    const auto second = order(**engine, "{\"total\":10}");
    if (!first) return complain(first.error());
    if (!second) return complain(second.error());
    std::printf("%s\n", std::string{to_text(*first)}.c_str());
    std::printf("%s\n", std::string{to_text(*second)}.c_str());

    std::int64_t rows = 0;
    const auto counted = (*database)->read([&rows](Transaction& tx) -> Result<void> {
        const auto found = tx.query("SELECT count(*) FROM pedidos");
        if (!found) return std::unexpected(found.error());
        rows = found->front().integer(0);
        return {};
    });
    if (!counted) return complain(counted.error());
    std::printf("%lld row\n", static_cast<long long>(rows));
    return to_text(*first) == "executed" && to_text(*second) == "replayed" && rows == 1 ? 0 : 1;
}
