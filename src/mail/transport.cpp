#include "mail/transport.hpp"

#include "base/shown.hpp"
#include "mail/file_transport.hpp"
#include "mail/smtp_transport.hpp"
#include "mail/smtp_url.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <utility>

namespace umavez::mail {
namespace {

constexpr std::string_view file_scheme = "file:";
constexpr std::string_view authority = "://";

}  // namespace

std::string_view to_text(Verdict verdict) noexcept
{
    switch (verdict) {
        case Verdict::accepted: return "accepted";
        case Verdict::refused: return "refused";
        case Verdict::put_off: return "put off";
        case Verdict::unreachable: return "unreachable";
        case Verdict::unknown: return "unknown";
    }
    return "";
}

Result<std::unique_ptr<Transport>> make_transport(const TransportOptions& options)
{
    std::string_view url = options.url;
    if (options.connect_timeout <= Duration::zero() || options.answer_timeout <= Duration::zero()) {
        return fail(Errc::misconfigured, "a time limit is above zero");
    }
    if (url.starts_with(file_scheme)) {
        url.remove_prefix(file_scheme.size());
        if (url.starts_with("//")) url.remove_prefix(2);
        if (url.empty()) return fail(Errc::misconfigured, "file: needs a folder, file:FOLDER");
        return std::make_unique<FileTransport>(url);
    }
    auto parsed = parse_smtp_url(url);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    if (!parsed->ca_file.empty() && ::access(parsed->ca_file.c_str(), R_OK) != 0) {
        return fail(
            Errc::misconfigured,
            fmt::format("ca: the file {} cannot be read", shown(parsed->ca_file))
        );
    }
    return std::make_unique<SmtpTransport>(*std::move(parsed), options);
}

std::string shown_url(std::string_view url)
{
    // The password ends at the last @, whatever somebody forgot to encode in it: better to hide too much.
    const std::size_t begin = url.find(authority);
    const std::size_t at = url.rfind('@');
    if (begin == std::string_view::npos || at == std::string_view::npos || at < begin) {
        return std::string{url};
    }
    const std::size_t user = begin + authority.size();
    const std::size_t colon = url.find(':', user);
    if (colon == std::string_view::npos || colon > at) return std::string{url};
    return std::string{url.substr(0, colon)} + ":***" + std::string{url.substr(at)};
}

}  // namespace umavez::mail
