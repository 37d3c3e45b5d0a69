#pragma once

// SHA-256 over length-prefixed parts, hex, and a small stable hash for indexes and shards.
//
// Each part is preceded by its length as 8 little-endian bytes, so ("ab", "c") and ("a", "bc") differ.
// Hasher is confined to its thread; the free functions are thread-safe.

#include <umavez/fingerprint.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace umavez {

class Hasher {
public:
    Hasher() noexcept { restart(); }

    // What part() puts before its bytes.
    static std::array<char, 8> size_prefix(std::string_view bytes) noexcept;

    void part(std::string_view bytes) noexcept;  // length prefix and bytes
    void raw(std::string_view bytes) noexcept;   // bytes alone, for a single streamed part
    Digest finish() noexcept;                    // and ready for the next digest

private:
    void restart() noexcept;

    alignas(8) std::array<std::byte, 112> context_;  // OpenSSL's, whose headers stay in digest.cpp
};

Digest sha256(std::string_view bytes);

std::string to_hex(std::string_view bytes);
std::string to_hex(const Digest& digest);

// FNV-1a over length-prefixed parts: stable across builds and machines, so it may be stored.
std::uint64_t stable_hash(std::initializer_list<std::string_view> parts) noexcept;

}  // namespace umavez
