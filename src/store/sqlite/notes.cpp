#include "store/sqlite/notes.hpp"

#include "base/limits.hpp"
#include "store/sqlite/audit_statements.hpp"

#include <exception>
#include <iterator>
#include <utility>

namespace umavez {

bool Notes::add(RecordId id, AuditNote note) noexcept
{
    if (note.detail.size() > limits::audit_detail_bytes_max) {
        drop(1);
        return false;
    }
    try {
        const Instant at = clock_.now();
        const std::lock_guard guard{mutex_};
        if (waiting_count_.load() >= limits::audit_notes_max) {
            drop(1);
            return false;
        }
        waiting_.push_back({std::move(id), at, std::move(note)});
        waiting_count_.fetch_add(1);
        return waiting_.size() == 1;
    } catch (const std::exception&) {
        drop(1);  // out of memory: a note is not worth more
        return false;
    }
}

Result<void> Notes::ride(SqliteTransaction& transaction)
{
    {
        const std::lock_guard guard{mutex_};
        riding_.insert(
            riding_.end(),
            std::make_move_iterator(waiting_.begin()),
            std::make_move_iterator(waiting_.end())
        );
        waiting_.clear();
    }
    for (const Note& one : riding_) {
        auto written =
            insert_audit(transaction, {one.id}, one.at, {.epoch = one.note.epoch}, one.note);
        if (!written) return written;
    }
    return {};
}

void Notes::landed(bool kept) noexcept
{
    if (!kept) return;
    waiting_count_.fetch_sub(riding_.size());
    riding_.clear();
}

void Notes::refused() noexcept
{
    drop(riding_.size());
    landed(true);
}

}  // namespace umavez
