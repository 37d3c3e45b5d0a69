#include "app/listen_address.hpp"

#include "base/shown.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <charconv>

namespace umavez {

bool ListenAddress::is_loopback() const noexcept
{
    return address.starts_with("127.") || address == "::1";
}

Result<ListenAddress> parse_listen(std::string_view text)
{
    const auto refuse = [text] {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "\"{}\" is not an address and a port; write 127.0.0.1:8080 or [::1]:8080",
                shown(text)
            )
        );
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return refuse();
    ListenAddress listen{std::string{text.substr(0, colon)}, 0};
    const std::string_view port = text.substr(colon + 1);
    const auto [rest, error] = std::from_chars(port.data(), port.data() + port.size(), listen.port);
    if (port.empty() || error != std::errc{} || rest != port.data() + port.size()) return refuse();

    if (listen.address == "localhost") listen.address = "127.0.0.1";
    unsigned char parsed[sizeof(in6_addr)];
    if (listen.address.starts_with('[') && listen.address.ends_with(']')) {
        listen.address = listen.address.substr(1, listen.address.size() - 2);
        if (::inet_pton(AF_INET6, listen.address.c_str(), parsed) != 1) return refuse();
    } else if (::inet_pton(AF_INET, listen.address.c_str(), parsed) != 1) {
        return refuse();
    }
    return listen;
}

}  // namespace umavez
