#include "modules/mailing/ingest.hpp"

#include "modules/mailing/csv_layout.hpp"
#include "modules/mailing/entry_rows.hpp"
#include "modules/parts/columns.hpp"

#include <fmt/format.h>

#include <future>
#include <system_error>
#include <utility>

namespace umavez::mailing {
namespace {

enum class Written : std::uint8_t { yes, no, lost };

class Ingestion {
public:
    Ingestion(Database& database, const Locked& locked, std::int64_t invalid_kept)
        : database_(database),
          locked_(locked),
          saved_bytes_(locked.mailing.read_bytes),
          invalid_(locked.mailing.counts.invalid),
          invalid_kept_(invalid_kept)
    {
    }

    Result<Written> write(const IngestBatch& batch)
    {
        while (true) {
            const auto written = database_.transact([this, &batch](Transaction& transaction) {
                return write_in(transaction, batch);
            });
            auto outcome =
                written ? Result<Written>{Written::yes} : after_failure(written.error(), batch);
            if (outcome && *outcome == Written::yes) {
                saved_bytes_ = batch.end.bytes;
                invalid_ += static_cast<std::int64_t>(batch.invalid.size());
            }
            if (!outcome || *outcome != Written::no) return outcome;
        }
    }

private:
    Result<Written> after_failure(const Error& error, const IngestBatch& batch)
    {
        if (error.code == Errc::lease_lost) return Written::lost;
        if (error.code == Errc::store_unknown) return find_out(batch);
        return std::unexpected(error);
    }

    Result<void> write_in(Transaction& transaction, const IngestBatch& batch) const
    {
        const Owner& owner = locked_.owner;
        if (auto kept = keep_lock(transaction, owner, Status::ingesting); !kept) return kept;
        const auto inserted = insert_rows(
            transaction,
            locked_.mailing.tenant_id,
            owner.mailing_id,
            batch,
            invalid_ < invalid_kept_ ? InvalidLines::kept : InvalidLines::counted
        );
        if (!inserted) return std::unexpected(inserted.error());
        const auto saved = transaction.execute(
            "UPDATE mailings SET read_bytes = $3, read_lines = $4, entries = entries + $5, "
            "duplicates = duplicates + $6, invalid = invalid + $7, is_ingested = $8, status = $9, "
            "updated_at = $10 WHERE id = $1 AND read_bytes = $2 AND is_ingested = 0",
            {owner.mailing_id,
             saved_bytes_,
             batch.end.bytes,
             batch.end.lines,
             inserted->entries,
             inserted->duplicates,
             inserted->invalid,
             std::int64_t{batch.is_last},
             std::string{to_text(batch.is_last ? Status::processing : Status::ingesting)},
             to_micros(transaction.now())}
        );
        if (!saved) return std::unexpected(saved.error());
        if (*saved == 1) return {};
        // Only the owner moves it, and this owner thought it was elsewhere.
        return transaction.spoil(
            {Errc::corrupt_record,
             fmt::format("mailing {} was read to another place", owner.mailing_id),
             std::source_location::current()}
        );
    }

    // Whether a batch is in whose commit got no answer. A commit that still runs holds the row: this waits
    // for it.
    Result<Written> find_out(const IngestBatch& batch)
    {
        Written found = Written::lost;
        const auto asked = database_.transact([&](Transaction& transaction) -> Result<void> {
            found = Written::lost;
            const auto rows = transaction.query(
                fmt::format(
                    "SELECT read_bytes, is_ingested FROM mailings WHERE id = $1 AND lock_token = "
                    "$2{}",
                    modules::row_lock(transaction.dialect())
                ),
                {locked_.owner.mailing_id, locked_.owner.token}
            );
            if (!rows) return std::unexpected(rows.error());
            if (rows->empty()) return {};
            const bool is_in = rows->front().integer(0) == batch.end.bytes &&
                               (rows->front().integer(1) != 0) == batch.is_last;
            found = is_in ? Written::yes : Written::no;
            return {};
        });
        if (!asked) return std::unexpected(asked.error());
        return found;
    }

    Database& database_;
    const Locked& locked_;
    std::int64_t saved_bytes_;  // as the mailing's row has it
    std::int64_t invalid_;      // likewise
    const std::int64_t invalid_kept_;
};

// What is wrong with the file itself is invalid_argument.
Result<CsvLayout> begin(
    CsvReader& reader, const Mailing& mailing, const std::filesystem::path& file
)
{
    std::error_code unknown;  // then reading it says more
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file, unknown));
    if (!unknown && size != mailing.content_bytes) {
        return fail(
            Errc::invalid_argument,
            fmt::format(
                "o arquivo guardado tem {} bytes, e o enviado tinha {}: envie-o outra vez",
                size,
                mailing.content_bytes
            )
        );
    }
    auto layout = read_layout(reader);
    if (!layout) return layout;
    if (mailing.read_bytes > 0) reader.go_to({mailing.read_bytes, mailing.read_lines});
    return layout;
}

}  // namespace

Result<Ingested> ingest(
    Database& database,
    const Locked& locked,
    const std::filesystem::path& file,
    const std::stop_token& stop,
    const IngestOptions& options
)
{
    auto bytes = open_file(file);
    if (!bytes) return std::unexpected(bytes.error());
    CsvReader reader{*std::move(bytes)};
    const auto layout = begin(reader, locked.mailing, file);
    if (!layout) {
        if (layout.error().code != Errc::invalid_argument) return std::unexpected(layout.error());
        return Unusable{layout.error().detail};
    }
    Ingestion ingestion{database, locked, options.invalid_kept};
    const auto read_next = [&] {
        return read_batch(reader, *layout, *options.random, options.rows_max, stop);
    };
    auto batch = read_next();
    while (true) {
        if (!batch) return std::unexpected(batch.error());
        if (!*batch || stop.stop_requested()) return Stopped{};
        // The next rows are read while the database is busy with these: a fifth of the time on PostgreSQL.
        const auto policy = (*batch)->is_last ? std::launch::deferred : std::launch::async;
        auto next = std::async(policy, read_next);
        const auto written = ingestion.write(**batch);
        if (!written) return std::unexpected(written.error());
        if (*written == Written::lost) return Lost{};
        if ((*batch)->is_last) return Complete{};
        batch = next.get();
    }
}

}  // namespace umavez::mailing
