#include "outbound/destination_url.hpp"

#include "base/char_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <curl/curl.h>
#include <memory>

namespace umavez::outbound {
namespace {

constexpr CharSet url_chars{is_visible};

class ParsedUrl {
public:
    explicit ParsedUrl(const std::string& text) : url_(::curl_url(), ::curl_url_cleanup)
    {
        is_valid_ = url_ != nullptr &&
                    ::curl_url_set(url_.get(), CURLUPART_URL, text.c_str(), 0) == CURLUE_OK;
    }
    bool is_valid() const noexcept { return is_valid_; }

    std::optional<std::string> find(CURLUPart part, unsigned flags = 0) const
    {
        char* value = nullptr;
        if (::curl_url_get(url_.get(), part, &value, flags) != CURLUE_OK) return std::nullopt;
        const std::unique_ptr<char, decltype(&::curl_free)> held{value, ::curl_free};
        return std::string{value};
    }

private:
    std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)> url_;
    bool is_valid_ = false;
};

std::string lower(std::string text)
{
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

bool is_localhost(std::string_view host)
{
    if (host.ends_with('.')) host.remove_suffix(1);
    return host == "localhost" || host.ends_with(".localhost");
}

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, std::move(why));
}

}  // namespace

Result<DestinationUrl> parse_destination_url(std::string_view text)
{
    if (text.empty()) return refuse("is empty");
    if (text.size() > url_chars_max) {
        return refuse(
            fmt::format("has {} characters, at most {} are allowed", text.size(), url_chars_max)
        );
    }
    if (!url_chars.has_all(text)) {
        return refuse("may only contain visible ASCII characters; percent-encode the others");
    }
    DestinationUrl url{.text = std::string{text}};
    const std::string beginning = lower(url.text.substr(0, 8));
    url.tls = beginning == "https://";
    if (!url.tls && !beginning.starts_with("http://")) {
        return refuse("must begin with https:// or http://");
    }
    const std::string_view rest = text.substr(url.tls ? 8 : 7);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const ParsedUrl parsed{url.text};
    const auto host = parsed.is_valid() ? parsed.find(CURLUPART_HOST) : std::nullopt;
    // The library forgives a third slash, and finds the host behind it.
    if (authority.empty() || !host || host->empty())
        return refuse("must be like https://example.com/webhooks");
    if (text.find('#') != std::string_view::npos) {
        return refuse("may have no fragment: leave out # and what follows");
    }
    if (authority.find('@') != std::string_view::npos || parsed.find(CURLUPART_USER)) {
        return refuse("may have no user and password; requests are signed instead");
    }
    const std::string port = parsed.find(CURLUPART_PORT, CURLU_DEFAULT_PORT).value_or("");
    std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (url.port == 0) return refuse("must have a port from 1 to 65535, or none");

    url.host = lower(*host);
    if (url.host.starts_with('[')) url.host = url.host.substr(1, url.host.size() - 2);
    url.literal = Address::parse(is_localhost(url.host) ? "127.0.0.1" : url.host);
    return url;
}

}  // namespace umavez::outbound
