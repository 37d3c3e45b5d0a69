#include "database/postgres/url.hpp"

#include "database/postgres/hosts.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <libpq-fe.h>
#include <memory>
#include <utility>

namespace umavez::pg {
namespace {

using namespace std::string_view_literals;

struct FreeOptions {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::misconfigured, "the database URL: " + std::move(why));
}

Result<void> take_ours(
    PostgresUrl& url, bool& has_pooler, std::string_view name, std::string_view value
)
{
    if (name == "umavez_pooler") {
        if (value != "transaction" && value != "none") {
            return refuse("umavez_pooler is \"transaction\" or \"none\"");
        }
        if (has_pooler) return refuse("umavez_pooler is there twice");
        has_pooler = true;
        url.is_pooled = value == "transaction";
        return {};
    }
    if (name == "umavez_connections") {
        if (url.connections) return refuse("umavez_connections is there twice");
        std::size_t count = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
        if (error != std::errc{} || end != value.data() + value.size() || count < 1 ||
            count > 256) {
            return refuse("umavez_connections is a number from 1 to 256");
        }
        url.connections = count;
        return {};
    }
    return refuse("there is no parameter " + std::string{name});
}

// Names that are not made of these letters are left to libpq, which does not repeat them: they may be
// anything, a password cut in two included.
bool is_known(std::string_view name)
{
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    if (!std::ranges::all_of(name, is_letter) || name.starts_with("umavez_")) return true;
    if (name == "ssl") return true;  // libpq's word for sslmode, as other drivers write it
    const Options all{PQconndefaults()};
    for (const PQconninfoOption* option = all.get(); option && option->keyword; ++option) {
        if (name == option->keyword) return true;
    }
    return false;
}

// libpq refuses names that it does not know, so ours are taken out first.
Result<std::string> without_ours(std::string_view text, PostgresUrl& url)
{
    const std::size_t question = text.find('?');
    if (question == std::string_view::npos) return std::string{text};
    std::string rest{text.substr(0, question)};
    char separator = '?';
    bool has_pooler = false;
    std::string_view query = text.substr(question + 1);
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view one = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const std::size_t equals = std::min(one.find('='), one.size());
        if (!is_known(one.substr(0, equals))) {
            return refuse("there is no parameter " + std::string{one.substr(0, equals)});
        }
        if (one.starts_with("umavez_")) {
            const std::string_view value = one.substr(std::min(equals + 1, one.size()));
            if (auto taken = take_ours(url, has_pooler, one.substr(0, equals), value); !taken) {
                return std::unexpected(taken.error());
            }
            continue;
        }
        rest += separator;
        rest += one;
        separator = '&';
    }
    return rest;
}

// A slash or an @ of a password that was not encoded makes libpq read the password as a host, a port or a
// database, which messages then show.
bool has_stray_separator(std::string_view text)
{
    const std::string_view place = text.substr(0, text.find('?'));
    const std::size_t authority = place.find("//");
    if (authority == std::string_view::npos) return false;
    const std::string_view rest = place.substr(authority + 2);
    // "//user:pass?word@host": what follows would be read as parameters.
    const bool has_at = rest.find('@') != rest.npos;
    const std::size_t query_at = text.find('@', place.size());
    if (!has_at && rest.find(':') != rest.npos && query_at != text.npos) return true;
    const std::size_t at = rest.find('@');
    return at != std::string_view::npos && (rest.find('/') < at || rest.find('@', at + 1) != rest.npos);
}

// libpq would go to a socket of its own choice.
bool names_host(const PostgresUrl& url)
{
    for (const char* const name : {"PGHOST", "PGHOSTADDR", "PGSERVICE"}) {
        if (std::getenv(name) != nullptr) return true;
    }
    return std::ranges::any_of(url.parameters, [](const auto& one) {
        return one.first == "host" || one.first == "hostaddr" || one.first == "service";
    });
}

// What tells which database it is; the rest may hold secrets or is of no interest.
std::string to_shown(const PostgresUrl& url)
{
    const auto value_of = [&url](std::string_view name) -> std::string {
        const auto found =
            std::ranges::find(url.parameters, name, &std::pair<std::string, std::string>::first);
        return found == url.parameters.end() ? std::string{} : found->second;
    };
    std::string shown = "postgres://";
    if (const std::string user = value_of("user"); !user.empty()) shown += user + "@";
    std::string separator;
    const Hosts hosts{url.parameters};
    for (std::size_t host = 0; host < hosts.size(); ++host) {
        shown += std::exchange(separator, ",") + hosts.place(host);
    }
    return shown + "/" + value_of("dbname");
}

}  // namespace

bool is_postgres_url(std::string_view url) noexcept
{
    return url.starts_with("postgres:"sv) || url.starts_with("postgresql:"sv);
}

Result<PostgresUrl> parse_postgres_url(std::string_view text)
{
    if (text.find('\0') != std::string_view::npos) return refuse("it holds a NUL byte");
    if (has_stray_separator(text)) {
        return refuse("write / as %2F, ? as %3F and @ as %40 in user, password and database");
    }
    PostgresUrl url;
    const auto rest = without_ours(text, url);
    if (!rest) return std::unexpected(rest.error());
    char* message = nullptr;
    const Options options{PQconninfoParse(rest->c_str(), &message)};
    PQfreemem(message);  // it may repeat the password
    if (!options) {
        return refuse(
            "libpq cannot read it; write postgres://user:password@host:port/database?parameters"
        );
    }
    for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        if (option->keyword == "target_session_attrs"sv && option->val != "read-write"sv &&
            option->val != "primary"sv) {
            return refuse("target_session_attrs is read-write or primary: a standby may lag behind"
            );
        }
        url.parameters.emplace_back(option->keyword, option->val);
    }
    if (!names_host(url)) {
        return refuse(
            "it names no host: write postgres://user@host/database, or ?host=/run/postgresql for a socket"
        );
    }
    if (!Hosts::are_lists_even(url.parameters)) {
        return refuse("it has more hosts than ports, or fewer: name a port for each host, or one for all");
    }
    url.shown = to_shown(url);
    return url;
}

}  // namespace umavez::pg
