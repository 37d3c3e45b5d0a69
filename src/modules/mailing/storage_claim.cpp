#include "modules/mailing/storage_claim.hpp"

#include "base/file.hpp"

#include <fmt/format.h>

#include <array>

namespace umavez::mailing {
namespace {

constexpr std::size_t marker_bytes_max = 4096;

Result<std::string> read_marker(const std::string& path)
{
    const auto file = File::open(path);
    if (!file) return std::unexpected(file.error());
    std::array<char, marker_bytes_max> space;
    const auto got = file->read_at(0, space);
    if (!got) return std::unexpected(got.error());
    const std::string_view text{space.data(), *got};
    return std::string{text.substr(0, text.find('\n'))};
}

}  // namespace

Result<std::string> postgres_identity(Database& database)
{
    std::string identity;
    const auto done = database.read([&](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query(
            "SELECT 'postgres:' || system_identifier || '/' || current_database() FROM "
            "pg_control_system()",
            {}
        );
        if (!rows) return std::unexpected(rows.error());
        identity = rows->front().text(0);
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return identity;
}

Result<void> claim(const Storage& storage, const std::string& identity)
{
    const std::string path = storage.folder() + "/.umavez-database";
    auto owner = read_marker(path);
    if (!owner && owner.error().code == Errc::not_found) {
        auto marker = File::make_unnamed(storage.folder());
        if (!marker) return std::unexpected(marker.error());
        if (auto written = marker->append(identity + "\n"); !written) return written;
        // It has its name with all of its content, or another process was faster.
        if (marker->keep_as(path)) return {};
        owner = read_marker(path);
    }
    if (!owner) return std::unexpected(owner.error());
    if (*owner == identity) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "mailing.storage: the folder {} holds the uploads of another database ({}, not {}); "
            "choose another with --mailing-storage, or remove {} if the folder moved here with its "
            "database",
            storage.folder(),
            *owner,
            identity,
            path
        )
    );
}

}  // namespace umavez::mailing
