#pragma once

// HeaderMac: an HMAC in a header of its own, which is all that many schemes have. Immutable after
// construction, thread-safe.

#include "webhook/encoding.hpp"
#include "webhook/mac.hpp"
#include "webhook/refuse.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::webhook {

struct HeaderMacOptions {
    std::string header{};
    std::string prefix{};  // before the signature; must be there
    Algorithm algorithm = Algorithm::sha256;
    Encoding encoding = Encoding::hex;
    bool may_lack_prefix = false;
};

class HeaderMac {
public:
    HeaderMac(HeaderMacOptions options, const std::vector<std::string>& secrets);

    // Whether one of the secrets signed `parts`, one after the other. All are tried, in the same time
    // whichever matches.
    Checked check(std::span<const Header> headers, std::initializer_list<std::string_view> parts)
        const;

    // By the first secret.
    Header sign(std::initializer_list<std::string_view> parts) const;

private:
    HeaderMacOptions options_;
    std::vector<MacKey> keys_;
};

// Whether `given` is the text of the HMAC of `parts` under one of the keys; all are tried.
bool is_signed_by_any(
    const std::vector<MacKey>& keys,
    Encoding encoding,
    std::initializer_list<std::string_view> parts,
    std::span<const std::string_view> given
);

}  // namespace umavez::webhook
