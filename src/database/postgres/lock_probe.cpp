#include "database/postgres/lock_probe.hpp"

#include "database/postgres/tuning.hpp"

#include <algorithm>

namespace umavez::pg {
namespace {

const StaticSql begin_sql{"BEGIN"};
const StaticSql rollback_sql{"ROLLBACK"};

}  // namespace

bool is_table_locked(Connection& connection, const StaticSql& probe)
{
    if (connection.is_lost()) return false;
    connection.enqueue(begin_sql);
    connection.enqueue(probe);
    const auto answers = connection.round_trip(tuning::lock_timeout);
    connection.enqueue(rollback_sql);
    connection.send_off();
    if (!answers) return false;
    return std::ranges::any_of(*answers, [](const Answer& answer) {
        return !answer.is_ok() && answer.remedy() == Remedy::wait_more;
    });
}

Error table_locked_error()
{
    return {
        Errc::store_unavailable,
        "the table of records is locked: somebody vacuums, indexes, alters or locks it",
        std::source_location::current()
    };
}

}  // namespace umavez::pg
