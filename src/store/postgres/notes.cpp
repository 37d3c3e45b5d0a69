#include "store/postgres/notes.hpp"

#include "store/identity.hpp"
#include "store/postgres/audit_statements.hpp"

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

Notes::Ride::Ride(Notes& notes) : notes_(notes)
{
    if (notes.is_waiting()) notes.queue_.take(riding_);
}

Notes::Ride::~Ride()
{
    if (riding_.empty()) return;
    notes_.queue_.wait_again(riding_);
    notes_.is_given_back_ = true;
}

void Notes::Ride::board(Connection& connection)
{
    const Duration now = notes_.time_.now();
    const std::span<QueuedNote> notes{riding_};
    Parameters parameters;
    const auto texts = [&](auto of) { add_texts(parameters, notes, of); };
    texts([](const QueuedNote& one) -> std::string_view { return one.id.tenant_id.text(); });
    texts([](const QueuedNote& one) -> std::string_view { return one.id.operation.text(); });
    texts([](const QueuedNote& one) -> std::string_view { return one.id.key.text(); });
    add_integers(parameters, notes, [](const QueuedNote& one) {
        return subject_without_record(one.id);
    });
    add_integers(parameters, notes, [&](const QueuedNote& one) {
        return std::int64_t{(now - one.at).count()};
    });
    texts([](const QueuedNote& one) { return to_text(one.note.event); });
    add_integers(parameters, notes, [](const QueuedNote& one) { return one.note.epoch; });
    texts([](const QueuedNote& one) { return storable(one.detail()); });
    parameters.add(notes_.time_.clock());
    connection.enqueue(notes_sql, parameters);
}

}  // namespace umavez::pg
