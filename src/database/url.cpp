#include "database/url.hpp"

#include "base/shown.hpp"

#include <fmt/format.h>

namespace umavez {

Result<SqliteUrl> parse_database_url(std::string_view url)
{
    constexpr std::string_view scheme = "sqlite:";
    if (!url.starts_with(scheme)) {
        const std::size_t colon = url.find(':');
        return fail(
            Errc::misconfigured,
            fmt::format(
                "the database URL {} is not known; write sqlite:PATH, sqlite::memory: or "
                "postgres://USER:PASSWORD@HOST/DATABASE",
                colon == std::string_view::npos
                    ? "without a scheme"
                    : fmt::format("with \"{}:\"", shown(url.substr(0, colon)))
            )
        );
    }
    const std::string_view path = url.substr(scheme.size());
    if (path == ":memory:") return SqliteUrl{};
    if (path.empty()) {
        return fail(
            Errc::misconfigured,
            "the database URL names no file; write sqlite:PATH or sqlite::memory:"
        );
    }
    if (path.find('\0') != std::string_view::npos) {
        return fail(Errc::misconfigured, "the path of the database holds a NUL byte");
    }
    return SqliteUrl{std::string{path}};
}

}  // namespace umavez
