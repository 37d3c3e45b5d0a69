#pragma once

// The text of a token, and where a request carries it: rules without I/O. Thread-safe.
//
// A token is `uvz_` and 43 base64url characters made of 32 random bytes: a form that secret
// scanners find. It is shown once, when it is made; what is kept is its SHA-256. The digest needs
// no salt: nobody guesses 256 random bits.

#include "base/digest.hpp"
#include "base/random.hpp"

#include <umavez/response.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::access {

enum class Denial : std::uint8_t {
    missing,    // no Authorization
    malformed,  // not one `Authorization: Bearer <token>`
    unknown,    // never given, or revoked
    expired,
};

std::string_view to_text(Denial denial) noexcept;

std::string make_token(Random& random);

// How many characters of a token its owner recognises it by: too few to help anybody else.
inline constexpr std::size_t ending_chars = 4;

// The token of `Authorization: Bearer …`, as it stands in the headers.
std::expected<std::string_view, Denial> find_bearer(const std::vector<Header>& headers);

// X-Usuario, or empty where there is none. Nullopt: it is given twice, or is not 1 to 100 bytes of
// UTF-8 that show something and have no control characters.
std::optional<std::string> find_usuario(const std::vector<Header>& headers);

// In a time that does not depend on where they differ.
bool is_equal_secret(const Digest& left, const Digest& right) noexcept;

}  // namespace umavez::access
