#pragma once

// SHA-256 over length-prefixed parts, hex, and a small stable hash for indexes and shards.
//
// Each part is preceded by its length as 8 little-endian bytes, so ("ab", "c") and ("a", "bc") differ.
// Hasher is confined to its thread; the free functions are thread-safe.

#include <umavez/fingerprint.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace umavez {

class Hasher {
public:
    Hasher();
    ~Hasher();
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    // One that is kept, because making one allocates. Nothing is in it yet: what
    // an earlier caller began and did not finish is forgotten. Finish before anybody else can ask for it.
    static Hasher& of_this_thread();

    // What part() puts before its bytes.
    static std::array<char, 8> size_prefix(std::string_view bytes) noexcept;

    void part(std::string_view bytes);  // length prefix and bytes
    void raw(std::string_view bytes);   // bytes alone, for a single streamed part
    Digest finish();                    // and ready for the next digest

private:
    void restart();

    void* context_;
    bool is_begun_ = false;  // bytes came since the last restart
};

Digest sha256(std::string_view bytes);

std::string to_hex(std::string_view bytes);
std::string to_hex(const Digest& digest);

// FNV-1a over length-prefixed parts: stable across builds and machines, so it may be stored.
std::uint64_t stable_hash(std::initializer_list<std::string_view> parts) noexcept;

}  // namespace umavez
