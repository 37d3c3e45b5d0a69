#include "store/sqlite/notes.hpp"

#include "store/sqlite/audit_statements.hpp"

#include <iterator>
#include <utility>

namespace umavez {

Result<void> Notes::ride(SqliteTransaction& transaction)
{
    is_riding_ = true;
    std::vector<QueuedNote> taken = queue_.take();
    riding_.insert(
        riding_.end(), std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end())
    );
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
