#include "app/check_settings.hpp"

#include "app/load.hpp"
#include "base/shown.hpp"
#include "database/postgres/url.hpp"
#include "database/sqlite/database_path.hpp"
#include "database/sqlite/peek.hpp"
#include "database/url.hpp"
#include "http/tls.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <unistd.h>

namespace umavez {
namespace {

// A file that is there must be writable, else its directory.
Result<void> check_writable(const std::string& path)
{
    const std::filesystem::path file{path};
    const bool exists = std::filesystem::exists(file);
    const std::filesystem::path checked = exists ? file : file.parent_path();
    if (::access(checked.c_str(), W_OK) == 0) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "{} cannot be written; change its owner or mode, or choose another path with "
            "--database",
            shown(checked.string())
        )
    );
}

// Whether the folder can be written, or made: by the nearest that is there.
bool is_folder_for_writing(std::filesystem::path folder)
{
    std::error_code ignored;
    while (folder.has_relative_path() && !std::filesystem::exists(folder, ignored)) {
        folder = folder.parent_path();
    }
    return std::filesystem::is_directory(folder, ignored) &&
           ::access(folder.c_str(), W_OK | X_OK) == 0 && !folder.native().starts_with("/proc") &&
           !folder.native().starts_with("/sys");  // root may write there, but makes nothing
}

Result<void> check_folder(const std::string& setting, const std::string& folder)
{
    std::error_code ignored;
    if (is_folder_for_writing(std::filesystem::absolute(folder, ignored))) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "{}: {} is not a folder that can be made and written; change its owner or mode, or "
            "choose another with --{}",
            setting,
            shown(folder),
            setting == "smtp" ? "smtp file:FOLDER" : "mailing-storage FOLDER"
        )
    );
}

// A storage that was chosen; the default is beside the database, or made when it is needed.
Result<void> check_folders(const Settings& settings)
{
    if (!settings.mailing.storage.empty()) {
        if (auto checked = check_folder("mailing.storage", storage_folder(settings)); !checked)
            return checked;
    }
    std::string_view smtp = settings.mailing.smtp;
    if (!smtp.starts_with("file:")) return {};
    smtp.remove_prefix(5);
    if (smtp.starts_with("//")) smtp.remove_prefix(2);
    return check_folder("smtp", std::string{smtp});
}

// A server is asked when it is opened.
Result<void> check_database(const Settings& settings)
{
    if (pg::is_postgres_url(settings.database)) {
        const auto url = pg::parse_postgres_url(settings.database);
        return url ? Result<void>{} : Result<void>{std::unexpected(url.error())};
    }
    const auto url = parse_database_url(settings.database);
    if (!url) return std::unexpected(url.error());
    if (url->is_memory()) return {};
    const auto path = resolve_database_path(url->path, false);
    if (!path) return std::unexpected(path.error());
    return check_writable(*path);
}

// Whether a token was ever made. Nullopt: the file cannot be read.
std::optional<bool> has_tokens(const std::string& path)
{
    if (path.empty() || !std::filesystem::exists(path)) return false;
    const auto tables =
        peek_integer(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'umavez_tokens'");
    if (!tables) return std::nullopt;
    if (*tables == 0) return false;
    const auto tokens = peek_integer(path, "SELECT count(*) FROM umavez_tokens");
    if (!tokens) return std::nullopt;
    return *tokens > 0;
}

}  // namespace

Result<void> check_settings(const Settings& settings)
{
    if (auto checked = check_database(settings); !checked) {
        return fail(Errc::misconfigured, "database: " + checked.error().detail);
    }
    if (!settings.tls_cert.empty()) {
        const auto tls = http::load_tls({settings.tls_cert, settings.tls_key});
        if (!tls) return std::unexpected(tls.error());
    }
    if (auto checked = check_mailing(settings.mailing); !checked) return checked;
    if (auto checked = check_fiscal(settings.fiscal); !checked) return checked;
    if (auto checked = check_folders(settings); !checked) return checked;
    const auto modules = load_modules(settings);
    if (!modules) return std::unexpected(modules.error());
    return {};
}

Result<void> check_listen(const Settings& settings, bool has_tokens)
{
    if (has_tokens || settings.listen.is_loopback()) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "listen: {} is not a loopback address, and without a token everybody who reaches it is "
            "served; make a token with `umavez token create --tenant default --role operator{}`, "
            "or listen on 127.0.0.1 or [::1]",
            settings.listen.address,
            settings.place_flags
        )
    );
}

Result<void> check_listen(const Settings& settings)
{
    if (settings.listen.is_loopback() || dialect_of(settings) == Dialect::postgres) return {};
    return check_listen(settings, has_tokens(database_path(settings)).value_or(true));
}

}  // namespace umavez
