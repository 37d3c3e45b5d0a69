#include "operators/operator_routes.hpp"

#include "base/json_object.hpp"
#include "database/url.hpp"
#include "operators/body_fields.hpp"
#include "operators/documents.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

namespace umavez::operators {
namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;

Task<Answer> sweep(OperatorNeeds needs, const Exchange& exchange)
{
    if (auto refused = refuse_unless_all_tenants(exchange.caller))
        co_return std::unexpected(*refused);
    auto sweeping = needs.engine.async_sweep_once();
    const auto swept = co_await std::move(sweeping);
    if (!swept) co_return std::unexpected(problem_of(swept.error()));
    co_return ok(to_json(*swept));
}

// Whether the database makes and removes a file of this name by itself: what is put there is lost,
// or taken for its own at the next start.
bool is_own_file(const Database& database, const std::string& path)
{
    const auto url = parse_database_url(database.url());
    if (!url || url->is_memory()) return false;
    std::error_code ignored;
    const auto given = std::filesystem::absolute(path, ignored);
    const auto folder = std::filesystem::canonical(given.parent_path(), ignored);
    constexpr std::array suffixes{"", "-journal", "-wal", "-shm", ".lock", ".sock"};
    return std::ranges::any_of(suffixes, [&](const char* suffix) {
        return folder / given.filename() == url->path + suffix;
    });
}

Result<void> copy_to(const std::string& path, const OperatorNeeds& needs)
{
    if (is_own_file(needs.database, path)) {
        return fail(
            Errc::invalid_argument,
            fmt::format("{} belongs to the database itself: choose another name", path)
        );
    }
    return needs.database.backup(path, needs.stopping);
}

Task<Answer> back_up(OperatorNeeds needs, const Exchange& exchange)
{
    const auto path = find_text(exchange, "path");
    if (!path || path->empty()) {
        co_return std::unexpected(wrong_field("path", "the file to write", exchange.language));
    }
    if (const auto done = copy_to(*path, needs); !done) {
        http::Problem problem = problem_of(done.error());
        problem.detail = {done.error().detail, done.error().detail};
        co_return std::unexpected(std::move(problem));
    }
    co_return ok(JsonObject{}.text("path", *path).str());
}

}  // namespace

std::vector<CallRoute> operator_routes(OperatorNeeds needs)
{
    std::vector<CallRoute> routes = record_routes(needs);
    std::ranges::move(order_routes(needs), std::back_inserter(routes));
    http::Route sweeping =
        declare("POST", "/ops/sweep", "operators.sweep", "Remove expired records now");
    sweeping.answers.push_back({.status = 200, .description = "done"});
    routes.push_back(bound(needs, std::move(sweeping), sweep));
    std::ranges::move(token_routes(needs), std::back_inserter(routes));
    return routes;
}

std::vector<CallRoute> local_routes(OperatorNeeds needs)
{
    http::Route backup = declare("POST", "/ops/backup", "operators.backup", "Copy the database");
    backup.body =
        http::Body{.schema = http::object({{.name = "path", .type = http::text({.min = 1})}})};
    backup.answers.push_back({.status = 200, .description = "done"});
    return {bound(needs, std::move(backup), back_up)};
}

}  // namespace umavez::operators
