#include "store/postgres/notes.hpp"

#include "base/limits.hpp"
#include "store/identity.hpp"
#include "store/postgres/audit_statements.hpp"

#include <exception>
#include <iterator>

namespace umavez::pg {
namespace {

// An entry hangs on the record that is there, if there is one.
const StaticSql notes_sql{
    "INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, execution, "
    "detail) SELECT coalesce((SELECT id FROM umavez_records AS r WHERE r.tenant_id = u.tenant_id "
    "AND "
    "r.operation = u.operation AND r.key = u.key), u.subject), " UMAVEZ_PG_CLOCK("$9"
    ) " - u.age, u.tenant_id, u.operation, u.key, u.event, u.epoch, NULL, u.detail "
      "FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) WITH ORDINALITY AS u "
      "(tenant_id, operation, key, subject, age, event, epoch, detail, place) ORDER BY place"
};

}  // namespace

bool Notes::add(RecordId id, AuditNote note) noexcept
{
    const auto drop = [this] { dropped_.fetch_add(1, std::memory_order_relaxed); };
    if (note.detail.size() > limits::audit_detail_bytes_max) {
        drop();
        return false;
    }
    try {
        const Duration at = time_.now();
        const std::lock_guard guard{mutex_};
        if (count_.load() >= limits::audit_notes_max) {
            drop();
            return false;
        }
        waiting_.push_back({std::move(id), at, std::move(note)});
        waiting_count_.fetch_add(1);
        count_.fetch_add(1);
        return waiting_.size() == 1;
    } catch (const std::exception&) {
        drop();  // out of memory: a note is not worth more
        return false;
    }
}

Notes::Ride::Ride(Notes& notes) : notes_(notes)
{
    if (!notes.is_waiting()) return;
    const std::lock_guard guard{notes.mutex_};
    riding_.swap(notes.waiting_);
    notes.waiting_count_.fetch_sub(riding_.size());
}

Notes::Ride::~Ride()
{
    if (riding_.empty()) return;
    try {
        const std::lock_guard guard{notes_.mutex_};
        notes_.waiting_.insert(
            notes_.waiting_.begin(),
            std::make_move_iterator(riding_.begin()),
            std::make_move_iterator(riding_.end())
        );
        notes_.waiting_count_.fetch_add(riding_.size());
        notes_.is_given_back_ = true;
    } catch (const std::exception&) {
        drop();  // out of memory
    }
}

void Notes::Ride::landed() noexcept
{
    notes_.count_.fetch_sub(riding_.size());
    riding_.clear();
}

void Notes::Ride::drop() noexcept
{
    notes_.dropped_.fetch_add(riding_.size(), std::memory_order_relaxed);
    landed();
}

void Notes::Ride::board(Connection& connection)
{
    const Duration now = notes_.time_.now();
    const std::span<Note> notes{riding_};
    Parameters parameters;
    const auto texts = [&](auto of) { add_texts(parameters, notes, of); };
    texts([](const Note& one) -> std::string_view { return one.id.tenant_id.text(); });
    texts([](const Note& one) -> std::string_view { return one.id.operation.text(); });
    texts([](const Note& one) -> std::string_view { return one.id.key.text(); });
    add_integers(parameters, notes, [](const Note& one) { return subject_without_record(one.id); });
    add_integers(parameters, notes, [&](const Note& one) {
        return std::int64_t{(now - one.at).count()};
    });
    texts([](const Note& one) { return to_text(one.note.event); });
    add_integers(parameters, notes, [](const Note& one) { return one.note.epoch; });
    texts([](const Note& one) { return storable(one.note.detail); });
    parameters.add(notes_.time_.clock());
    connection.enqueue(notes_sql, parameters);
}

}  // namespace umavez::pg
