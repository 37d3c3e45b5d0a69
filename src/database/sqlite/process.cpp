#include "database/sqlite/process.hpp"

#include <sqlite3.h>

namespace umavez {

void let_sqlite_count_no_memory() noexcept
{
    static_cast<void>(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0));
}

}  // namespace umavez
