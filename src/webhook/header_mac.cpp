#include "webhook/header_mac.hpp"

#include "webhook/header_text.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace umavez::webhook {

HeaderMac::HeaderMac(HeaderMacOptions options, const std::vector<std::string>& secrets)
    : options_(std::move(options)), keys_(make_mac_keys(options_.algorithm, secrets))
{
}

Checked HeaderMac::check(
    std::span<const Header> headers, std::initializer_list<std::string_view> parts
) const
{
    const auto found = read_signature(headers, options_.header);
    if (!found) return std::unexpected(found.error());
    std::string_view given = *found;
    if (given.starts_with(options_.prefix)) {
        given.remove_prefix(options_.prefix.size());
    } else if (!options_.may_lack_prefix) {
        return refuse(
            Fault::bad_signature,
            fmt::format("the header {} does not begin with {}", options_.header, options_.prefix)
        );
    }
    if (is_signed_by_any(keys_, options_.encoding, parts, std::array{given})) return {};
    return refuse(
        Fault::bad_signature,
        fmt::format("the signature in {} was made by none of the secrets", options_.header)
    );
}

Header HeaderMac::sign(std::initializer_list<std::string_view> parts) const
{
    const std::string mac = keys_.front().sign(parts);
    return {options_.header, options_.prefix + encode(options_.encoding, mac)};
}

bool is_signed_by_any(
    const std::vector<MacKey>& keys,
    Encoding encoding,
    std::initializer_list<std::string_view> parts,
    std::span<const std::string_view> given
)
{
    bool is_found = false;
    for (const MacKey& key : keys) {
        const std::string right = encode(encoding, key.sign(parts));
        for (const std::string_view text : given) is_found |= is_same_secretly(right, text);
    }
    return is_found;
}

}  // namespace umavez::webhook
