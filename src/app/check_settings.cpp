// What `config check` and `serve` refuse before anything is opened.

#include "app/load.hpp"
#include "base/shown.hpp"
#include "database/sqlite/database_path.hpp"
#include "database/url.hpp"
#include "http/tls.hpp"

#include <fmt/format.h>

#include <filesystem>
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
            "database: {} cannot be written; change its owner or mode, or choose another path with "
            "--database",
            shown(checked.string())
        )
    );
}

}  // namespace

Result<void> check_settings(const Settings& settings)
{
    const auto url = parse_database_url(settings.database);
    if (!url) return fail(Errc::misconfigured, "database: " + url.error().detail);
    if (!url->is_memory()) {
        const auto path = resolve_database_path(url->path, false);
        if (!path) return fail(Errc::misconfigured, "database: " + path.error().detail);
        if (auto checked = check_writable(*path); !checked) return checked;
    }
    if (!settings.tls_cert.empty()) {
        const auto tls = http::load_tls({settings.tls_cert, settings.tls_key});
        if (!tls) return std::unexpected(tls.error());
    }
    const auto modules = load_modules(settings);
    if (!modules) return std::unexpected(modules.error());
    return {};
}

}  // namespace umavez
