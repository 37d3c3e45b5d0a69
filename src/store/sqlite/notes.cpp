#include "store/sqlite/notes.hpp"

#include "store/sqlite/audit_statements.hpp"

namespace umavez {

Result<void> Notes::ride(SqliteTransaction& transaction)
{
    queue_.take(riding_);
    is_riding_ = true;
    for (const QueuedNote& one : riding_) {
        const AuditNote note{one.note.event, one.detail(), one.note.epoch};
        auto written =
            insert_audit(transaction, {one.id}, Instant{one.at}, {.epoch = note.epoch}, note);
        if (!written) return written;
    }
    return {};
}

void Notes::landed(bool kept) noexcept
{
    if (!kept) return;
    queue_.landed(riding_);
    is_riding_ = false;
}

void Notes::refused() noexcept
{
    queue_.drop(riding_);
    is_riding_ = false;
}

}  // namespace umavez
