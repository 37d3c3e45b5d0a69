#include "store/redis/redis_url.hpp"

#include "base/char_set.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace umavez {
namespace {

std::unexpected<Error> refuse(std::string_view what)
{
    return fail(Errc::misconfigured, fmt::format("the Redis URL: {}", what));
}

int hex_of(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::optional<std::string> percent_decoded(std::string_view text)
{
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const int high = hex_of(text[i + 1]);
        const int low = hex_of(text[i + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return decoded;
}

template <typename Number>
bool parse_number(std::string_view text, Number& number, Number least, Number most)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && number >= least &&
           number <= most;
}

// "1500ms", "2s".
bool parse_timeout(std::string_view text, std::chrono::milliseconds& timeout)
{
    int factor = 0;
    if (text.ends_with("ms")) {
        factor = 1;
        text.remove_suffix(2);
    } else if (text.ends_with("s")) {
        factor = 1000;
        text.remove_suffix(1);
    }
    std::int64_t count = 0;
    if (factor == 0 || !parse_number<std::int64_t>(text, count, 1, 3'600'000 / factor))
        return false;
    timeout = std::chrono::milliseconds{count * factor};
    return true;
}

// Names are matched by pattern and kept in lists that are separated by spaces.
constexpr CharSet prefix_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("._-:", byte);
}};

bool is_prefix(std::string_view text)
{
    return !text.empty() && text.size() <= 64 && prefix_chars.has_all(text);
}

Result<void> take_option(RedisUrl& url, std::string_view name, const std::string& value)
{
    if (name == "prefix") {
        url.prefix = value;
        if (is_prefix(value)) return {};
        return refuse("prefix= takes 1 to 64 letters, digits, '.', '_', '-' and ':'");
    }
    if (name == "connections") {
        if (parse_number<std::size_t>(value, url.connections.emplace(), 1, 64)) return {};
        return refuse("connections= takes a number from 1 to 64");
    }
    if (name == "connect_timeout") {
        if (parse_timeout(value, url.connect_timeout)) return {};
        return refuse("connect_timeout= takes a time such as 500ms or 2s, up to an hour");
    }
    if (name == "answer_timeout") {
        if (parse_timeout(value, url.answer_timeout)) return {};
        return refuse("answer_timeout= takes a time such as 500ms or 2s, up to an hour");
    }
    if (name == "on_emptied") {
        url.on_emptied = value == "refuse" ? OnEmptied::refuse : OnEmptied::resume;
        if (value == "refuse" || value == "resume") return {};
        return refuse("on_emptied= takes resume or refuse");
    }
    if (!url.socket_path.empty() && name == "database") {
        if (parse_number<std::uint32_t>(value, url.database, 0, 1'000'000)) return {};
        return refuse("database= takes a number");
    }
    if (!url.socket_path.empty() && name == "user") {
        url.user = value;
        return {};
    }
    if (!url.socket_path.empty() && name == "password") {
        url.password = value;
        return {};
    }
    return refuse(fmt::format(
        "the option \"{}\" is not known; there are prefix, connections, connect_timeout, "
        "answer_timeout "
        "and on_emptied",
        shown(name)
    ));
}

Result<void> take_options(RedisUrl& url, std::string_view query)
{
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view option = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const std::size_t equals = option.find('=');
        if (equals == option.npos) return refuse("an option is written name=value");
        const auto value = percent_decoded(option.substr(equals + 1));
        if (!value) return refuse("a percent sign is not followed by two hexadecimal digits");
        if (auto taken = take_option(url, option.substr(0, equals), *value); !taken) return taken;
    }
    return {};
}

Result<void> take_user(RedisUrl& url, std::string_view text)
{
    const std::size_t colon = text.find(':');
    const auto user = percent_decoded(text.substr(0, colon));
    const auto password = percent_decoded(colon == text.npos ? "" : text.substr(colon + 1));
    if (!user || !password) {
        return refuse(
            "in user and password a percent sign is written %25, and '@', ':' and '/' likewise"
        );
    }
    if (password->empty())
        return refuse("it names a user without a password; write user:password@");
    url.user = *user;
    url.password = *password;
    return {};
}

Result<void> take_host(RedisUrl& url, std::string_view text)
{
    std::string_view port;
    if (text.starts_with('[')) {  // an IPv6 address
        const std::size_t close = text.find(']');
        if (close == text.npos) return refuse("an IPv6 address ends with ']'");
        url.host = text.substr(1, close - 1);
        port = text.substr(close + 1);
        if (!port.empty() && !port.starts_with(':'))
            return refuse("after ']' comes :port or nothing");
        if (!port.empty()) port.remove_prefix(1);
    } else {
        const std::size_t colon = text.find(':');
        url.host = text.substr(0, colon);
        if (colon != text.npos) port = text.substr(colon + 1);
    }
    if (url.host.empty()) return refuse("it names no host; write redis://host:6379");
    if (!port.empty() && !parse_number<std::uint16_t>(port, url.port, 1, 65'535)) {
        return refuse("the port is a number from 1 to 65535");
    }
    return {};
}

Result<RedisUrl> parse_tcp(std::string_view rest, std::string_view query)
{
    RedisUrl url;
    const std::size_t slash = rest.find('/');
    std::string_view authority = rest.substr(0, slash);
    const std::string_view database = slash == rest.npos ? "" : rest.substr(slash + 1);
    if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
        if (auto taken = take_user(url, authority.substr(0, at)); !taken) {
            return std::unexpected(taken.error());
        }
        authority.remove_prefix(at + 1);
    }
    if (auto taken = take_host(url, authority); !taken) return std::unexpected(taken.error());
    if (!database.empty() && !parse_number<std::uint32_t>(database, url.database, 0, 1'000'000)) {
        return refuse("after the host comes /number, the number of the database");
    }
    if (auto taken = take_options(url, query); !taken) return std::unexpected(taken.error());
    return url;
}

}  // namespace

std::string RedisUrl::place() const
{
    if (!socket_path.empty()) return fmt::format("Redis at {}", shown(socket_path));
    const bool is_v6 = host.find(':') != host.npos;
    return fmt::format("Redis at {}{}{}:{}", is_v6 ? "[" : "", shown(host), is_v6 ? "]" : "", port);
}

Result<RedisUrl> parse_redis_url(std::string_view url)
{
    if (url.find('\0') != url.npos) return refuse("it holds a NUL byte");
    const std::size_t mark = url.find('?');
    const std::string_view query = mark == url.npos ? "" : url.substr(mark + 1);
    url = url.substr(0, mark);
    if (url.starts_with("rediss:")) {
        return refuse(
            "rediss:// asks for TLS, which the hiredis of this build does not have; connect "
            "through a "
            "TLS tunnel on this machine (stunnel) with redis://, or over a Unix socket"
        );
    }
    if (url.starts_with("redis+unix:")) {
        RedisUrl parsed;
        parsed.socket_path = url.substr(std::string_view{"redis+unix:"}.size());
        // The longest that fits into a sockaddr_un.
        if (parsed.socket_path.empty() || parsed.socket_path.size() > 107) {
            return refuse("redis+unix: is followed by the path of a socket, at most 107 bytes long"
            );
        }
        if (auto taken = take_options(parsed, query); !taken) return std::unexpected(taken.error());
        return parsed;
    }
    constexpr std::string_view scheme = "redis://";
    if (url.starts_with(scheme)) return parse_tcp(url.substr(scheme.size()), query);
    return refuse("it begins with redis:// or redis+unix:");
}

}  // namespace umavez
