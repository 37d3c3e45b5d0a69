#include "mail/smtp_url.hpp"

#include "base/shown.hpp"
#include "mail/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <curl/curl.h>
#include <memory>
#include <optional>

namespace umavez::mail {
namespace {

constexpr std::uint16_t tls_port = 465;
constexpr std::uint16_t submission_port =
    587;  // with a password; 25 is for servers among themselves
constexpr std::uint16_t plain_port = 25;

using Url = std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)>;

std::unexpected<Error> refuse(std::string_view url, std::string_view why)
{
    return fail(
        Errc::misconfigured,
        fmt::format(
            "{} in {}; it is smtp://USER:PASSWORD@HOST:PORT with user and password "
            "percent-encoded, smtps://… or file:FOLDER",
            why,
            shown(shown_url(url))
        )
    );
}

std::string get(CURLU* url, CURLUPart part, unsigned flags = CURLU_URLDECODE)
{
    char* text = nullptr;
    if (::curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
    std::string copy{text};
    ::curl_free(text);
    return copy;
}

// Nullopt: a % that is not followed by two digits, or a byte that no text has.
std::optional<std::string> decode(std::string_view text)
{
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        unsigned value = 0;
        const char* const begin = text.data() + i + 1;
        if (text.size() - i < 3) return std::nullopt;
        const auto read = std::from_chars(begin, begin + 2, value, 16);
        if (read.ec != std::errc{} || read.ptr != begin + 2 || value == 0) return std::nullopt;
        decoded += static_cast<char>(value);
        i += 2;
    }
    return decoded;
}

bool read_starttls(std::string_view word, SmtpUrl& to)
{
    if (word == "offered") {
        to.starttls = StartTls::offered;
    } else if (word == "required") {
        to.starttls = StartTls::required;
    } else if (word == "never") {
        to.starttls = StartTls::never;
    } else {
        return false;
    }
    return true;
}

bool is_word(std::string_view text)
{
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte >= 0x7f) return false;
    }
    return true;
}

// False: not a word that we know. The query is still encoded: a file's name may have an &.
bool read_query(std::string_view query, SmtpUrl& to)
{
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) return false;
        const std::string_view name = part.substr(0, equals);
        const auto value = decode(part.substr(equals + 1));
        if (!value || value->empty()) return false;
        if (name == "ca") {
            to.ca_file = *value;
        } else if (name == "ehlo" && is_word(*value) && value->find('/') == std::string::npos) {
            to.greeting = *value;
        } else if (name != "starttls" || !read_starttls(*value, to)) {
            return false;
        }
    }
    return true;
}

}  // namespace

Result<SmtpUrl> parse_smtp_url(std::string_view text)
{
    const Url url{::curl_url(), ::curl_url_cleanup};
    const std::string copy{text};
    if (copy.find('\0') != std::string::npos || !url ||
        ::curl_url_set(url.get(), CURLUPART_URL, copy.c_str(), 0) != CURLUE_OK) {
        return refuse(text, "no URL");
    }
    if (!decode(text)) return refuse(text, "a % without two digits (%25 is a %)");
    const std::string scheme = get(url.get(), CURLUPART_SCHEME);
    if (scheme != "smtp" && scheme != "smtps") return refuse(text, "another scheme");
    SmtpUrl parsed;
    parsed.is_tls = scheme == "smtps";
    parsed.host = get(url.get(), CURLUPART_HOST);
    parsed.user = get(url.get(), CURLUPART_USER);
    parsed.password = get(url.get(), CURLUPART_PASSWORD);
    const std::string path = get(url.get(), CURLUPART_PATH);
    const bool has_login = !parsed.user.empty();
    if (parsed.host.empty() || !is_word(parsed.host)) return refuse(text, "no host");
    if (!path.empty() && path != "/") {
        return refuse(text, "a path (?ehlo=NAME says what we call ourselves)");
    }
    if (has_login != !parsed.password.empty()) return refuse(text, "a user or a password alone");
    if (has_login) parsed.starttls = StartTls::required;
    if (!read_query(get(url.get(), CURLUPART_QUERY, 0), parsed)) {
        return refuse(
            text, "something else than ?starttls=offered, required or never, &ca=FILE, &ehlo=NAME"
        );
    }
    if (parsed.is_tls && parsed.starttls == StartTls::never) {
        return refuse(text, "TLS from the start (smtps) and ?starttls=never");
    }
    if (!get(url.get(), CURLUPART_FRAGMENT).empty()) return refuse(text, "a #");
    parsed.port = parsed.is_tls ? tls_port : has_login ? submission_port : plain_port;
    if (const std::string port = get(url.get(), CURLUPART_PORT); !port.empty()) {
        const char* const end = port.data() + port.size();
        const auto read = std::from_chars(port.data(), end, parsed.port);
        if (read.ec != std::errc{} || read.ptr != end || parsed.port == 0) {
            return refuse(text, "a port that is none");
        }
    }
    return parsed;
}

}  // namespace umavez::mail
