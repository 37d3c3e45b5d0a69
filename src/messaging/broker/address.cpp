#include "messaging/broker/address.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace umavez::messaging {
namespace {

std::unexpected<Error> wrong(std::string_view what)
{
    return fail(
        Errc::misconfigured,
        fmt::format("broker: {}; it is amqp://user:password@host:port/vhost", what)
    );
}

std::optional<int> digit_of(char letter)
{
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    return std::nullopt;
}

std::optional<std::string> decode(std::string_view text)
{
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        const auto high = i + 1 < text.size() ? digit_of(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? digit_of(text[i + 2]) : std::nullopt;
        if (!high || !low || (*high == 0 && *low == 0)) return std::nullopt;
        decoded += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return decoded;
}

// What is before `mark`; `text` keeps what is after. All of it, and nothing left, where there is no mark.
std::string_view cut(std::string_view& text, char mark)
{
    const std::size_t at = text.find(mark);
    const std::string_view before = text.substr(0, at);
    text = at == text.npos ? std::string_view{} : text.substr(at + 1);
    return before;
}

Result<void> parse_host(std::string_view text, BrokerAddress& address)
{
    std::string_view port;
    if (text.starts_with('[')) {  // IPv6
        const std::size_t end = text.find(']');
        if (end == text.npos) return wrong("a bracket is open");
        address.host = text.substr(1, end - 1);
        port = text.substr(end + 1);
        if (!port.empty() && !port.starts_with(':')) return wrong("the port is unreadable");
        if (!port.empty()) port.remove_prefix(1);
    } else {
        port = text;
        address.host = cut(port, ':');
    }
    if (address.host.empty()) return wrong("the host is missing");
    if (port.empty()) return {};
    const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (code != std::errc{} || end != port.data() + port.size() || address.port == 0)
        return wrong("the port is no number up to 65535");
    return {};
}

Result<void> parse_parameters(std::string_view text, BrokerAddress& address)
{
    while (!text.empty()) {
        std::string_view value = cut(text, '&');
        const std::string_view name = cut(value, '=');
        auto decoded = decode(value);
        if (!decoded) return wrong(fmt::format("{} is unreadable", name));
        if (name == "cacert") {
            address.cacert = *std::move(decoded);
        } else if (name == "cert") {
            address.cert = *std::move(decoded);
        } else if (name == "key") {
            address.key = *std::move(decoded);
        } else {
            return wrong(fmt::format("there is no parameter {}: cacert, cert and key", name));
        }
    }
    if (address.cert.empty() != address.key.empty()) return wrong("cert and key belong together");
    const bool has_files = !address.cacert.empty() || !address.cert.empty();
    if (has_files && !address.has_tls) return wrong("cacert, cert and key are for amqps://");
    return {};
}

Result<void> parse_user(std::string_view text, BrokerAddress& address)
{
    auto user = decode(cut(text, ':'));
    auto password = decode(text);
    if (!user || !password) return wrong("the user or the password is not percent-encoded");
    address.user = *std::move(user);
    address.password = *std::move(password);
    return {};
}

}  // namespace

std::string BrokerAddress::shown() const
{
    return fmt::format(
        "{}://{}@{}:{}/{}", has_tls ? "amqps" : "amqp", user, host, port, vhost == "/" ? "" : vhost
    );
}

Result<BrokerAddress> parse_broker_address(std::string_view url)
{
    BrokerAddress address;
    if (url.starts_with("amqps://")) {
        address.has_tls = true;
        address.port = 5671;
    } else if (!url.starts_with("amqp://")) {
        return wrong("the scheme is unknown");
    }
    url.remove_prefix(url.find("//") + 2);
    std::string_view parameters = url;
    std::string_view rest = cut(parameters, '?');
    std::string_view path = rest;
    std::string_view authority = cut(path, '/');
    // Of a password that is not encoded this may be the end: nothing of it is shown.
    if (path.contains('@') || parameters.contains('@'))
        return wrong("an @ stands after the host, or the password is not percent-encoded");
    if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
        if (auto parsed = parse_user(authority.substr(0, at), address); !parsed)
            return std::unexpected(parsed.error());
        authority.remove_prefix(at + 1);
    }
    if (auto parsed = parse_host(authority, address); !parsed)
        return std::unexpected(parsed.error());
    if (!path.empty()) {
        auto vhost = decode(path);
        if (!vhost) return wrong("the virtual host is not percent-encoded");
        address.vhost = *std::move(vhost);
    }
    if (auto parsed = parse_parameters(parameters, address); !parsed)
        return std::unexpected(parsed.error());
    return address;
}

}  // namespace umavez::messaging
