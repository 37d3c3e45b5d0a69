#include "modules/mailing/storage_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace umavez::mailing {
namespace {

constexpr std::int64_t files_at_once = 100;

Result<std::vector<std::string>> forget_files(Database& database, Duration retention)
{
    std::vector<std::string> urls;
    const auto done = database.transact([&](Transaction& transaction) -> Result<void> {
        urls.clear();
        const auto rows = transaction.query(
            "SELECT id, storage_url FROM mailings WHERE storage_url IS NOT NULL AND status IN "
            "('COMPLETED', 'FAILED', 'CANCELLED') AND updated_at < $1 ORDER BY updated_at LIMIT $2",
            {to_micros(transaction.now() - retention), files_at_once}
        );
        if (!rows) return std::unexpected(rows.error());
        for (const Row& row : *rows) {
            // Somebody may have sent its failed ones again since.
            const auto changed = transaction.execute(
                "UPDATE mailings SET storage_url = NULL WHERE id = $1 AND storage_url = $2 AND "
                "status IN ('COMPLETED', 'FAILED', 'CANCELLED')",
                {row.integer(0), row.text(1)}
            );
            if (!changed) return std::unexpected(changed.error());
            if (*changed == 1) urls.push_back(row.text(1));
        }
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return urls;
}

// Those that belong to a mailing.
Result<std::set<std::string>> known_among(Database& database, std::span<const std::string> urls)
{
    std::set<std::string> known;
    std::string places;
    std::vector<Value> uuids;
    for (const std::string& url : urls) {
        // Unique, and what the url ends with.
        uuids.emplace_back(url.substr(url.rfind('/') + 1, 36));
        places += fmt::format("{}${}", places.empty() ? "" : ", ", uuids.size());
    }
    const std::string sql = fmt::format(
        "SELECT storage_url FROM mailings WHERE uuid IN ({}) AND storage_url IS NOT NULL", places
    );
    const auto done = database.read([&](Transaction& transaction) -> Result<void> {
        known.clear();
        const auto rows = transaction.query(sql, uuids);
        if (!rows) return std::unexpected(rows.error());
        for (const Row& row : *rows) known.insert(row.text(0));
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return known;
}

}  // namespace

Result<std::size_t> sweep_over(
    Database& database, const Storage& storage, Duration retention, const std::stop_token& stop
)
{
    std::size_t removed = 0;
    while (!stop.stop_requested()) {
        const auto urls = forget_files(database, retention);
        if (!urls) return std::unexpected(urls.error());
        for (const std::string& url : *urls) {
            if (auto gone = storage.remove(url); !gone) return std::unexpected(gone.error());
            ++removed;
        }
        if (urls->size() < static_cast<std::size_t>(files_at_once)) break;
    }
    return removed;
}

Result<std::size_t> sweep_orphans(
    Database& database,
    const Storage& storage,
    const Clock& clock,
    Duration age,
    const std::stop_token& stop
)
{
    const auto old = storage.files_before(clock.realtime() - age, stop);
    if (!old) return std::unexpected(old.error());
    std::size_t removed = 0;
    std::span<const std::string> rest{*old};
    while (!rest.empty() && !stop.stop_requested()) {
        const auto some = rest.first(std::min<std::size_t>(rest.size(), files_at_once));
        rest = rest.subspan(some.size());
        const auto known = known_among(database, some);
        if (!known) return std::unexpected(known.error());
        for (const std::string& url : some) {
            if (known->contains(url)) continue;
            if (auto gone = storage.remove(url); !gone) return std::unexpected(gone.error());
            ++removed;
        }
    }
    return removed;
}

}  // namespace umavez::mailing
