#include "database/postgres/schema_watch.hpp"

#include "database/postgres/tuning.hpp"

#include <algorithm>

namespace umavez::pg {
namespace {

const StaticSql versions_sql{
    "SELECT module, max(version)::int8 FROM umavez_migrations GROUP BY module"
};

}  // namespace

void SchemaWatch::know(std::span<const Migration> migrations)
{
    const std::lock_guard guard{mutex_};
    for (const Migration& migration : migrations) {
        std::int64_t& version = known_[migration.module];
        version = std::max<std::int64_t>(version, migration.version);
    }
}

Result<void> SchemaWatch::check(Connection& connection)
{
    const Duration::rep now = system_clock().boottime().count();
    Duration::rep due = next_look_;
    const Duration::rep next = now + Duration{tuning::schema_look}.count();
    if (now >= due && next_look_.compare_exchange_strong(due, next)) {
        if (auto looked = look(connection); !looked) {
            next_look_ = now;  // the next one has to look
            return looked;
        }
    }
    return verdict();
}

Result<void> SchemaWatch::look(Connection& connection)
{
    {
        const std::lock_guard guard{mutex_};
        if (known_.empty()) return {};
    }
    connection.enqueue(versions_sql);
    const auto answers = connection.round_trip(tuning::look_limit);
    if (!answers) return std::unexpected(answers.error());
    if (!answers->back().is_ok()) return {};  // the write will be told the same
    const Answer& answer = answers->back();
    const std::lock_guard guard{mutex_};
    newer_.clear();
    for (std::size_t row = 0; row < answer.rows(); ++row) {
        const auto known = known_.find(answer.bytes(row, 0));
        if (known != known_.end() && answer.integer(row, 1) > known->second) newer_ = known->first;
    }
    return {};
}

Result<void> SchemaWatch::verdict() const
{
    const std::lock_guard guard{mutex_};
    if (newer_.empty()) return {};
    return fail(
        Errc::store_unavailable,
        "a newer program has migrated the schema of " + newer_ +
            ": this one is too old to write to it; start the newer one in its place"
    );
}

}  // namespace umavez::pg
