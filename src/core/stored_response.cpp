#include "core/transition.hpp"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace umavez {
namespace {

// Gathers small inputs, because starting the stream costs more than hashing them. The hash is the same.
class ResponseHasher {
public:
    void number(std::uint64_t value) { bytes({reinterpret_cast<const char*>(&value), sizeof value}); }
    void text(std::string_view text)
    {
        number(text.size());
        bytes(text);
    }
    XXH128_hash_t finish()
    {
        if (is_streaming_) flush();
        return is_streaming_ ? XXH3_128bits_digest(&state_) : XXH3_128bits(gathered_.data(), size_);
    }

private:
    void bytes(std::string_view bytes)
    {
        if (bytes.size() > gathered_.size() - size_) {
            if (!is_streaming_) XXH3_128bits_reset(&state_);
            is_streaming_ = true;
            flush();
        }
        if (bytes.size() > gathered_.size()) {
            XXH3_128bits_update(&state_, bytes.data(), bytes.size());
            return;
        }
        std::memcpy(gathered_.data() + size_, bytes.data(), bytes.size());
        size_ += bytes.size();
    }
    void flush()
    {
        XXH3_128bits_update(&state_, gathered_.data(), size_);
        size_ = 0;
    }

    std::array<char, 512> gathered_;
    std::size_t size_ = 0;
    bool is_streaming_ = false;
    XXH3_state_t state_;
};

// XXH3 rather than SHA-256: it guards against mistakes, not forgers, and costs 60 ns instead of 500.
std::array<std::uint8_t, 16> digest_of(const Response& response)
{
    ResponseHasher hasher;
    hasher.number(static_cast<std::uint64_t>(static_cast<std::int64_t>(response.status)));
    hasher.text(response.body);
    // The count keeps a last header apart from an entity of the same two texts.
    hasher.number(response.headers.size());
    for (const Header& header : response.headers) {
        hasher.text(header.name);
        hasher.text(header.value);
    }
    if (response.entity) {
        hasher.text(response.entity->type);
        hasher.text(response.entity->id);
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hasher.finish());
    std::array<std::uint8_t, 16> digest;
    std::memcpy(digest.data(), canonical.digest, digest.size());
    return digest;
}

std::size_t kept_bytes(const Response& response)
{
    std::size_t bytes = response.body.size();
    for (const Header& header : response.headers) bytes += header.name.size() + header.value.size();
    return bytes;
}

}  // namespace

StoredResponse to_stored(Response response, std::size_t response_bytes_max)
{
    const auto digest = digest_of(response);
    const bool is_omitted = kept_bytes(response) > response_bytes_max;
    if (is_omitted) {
        response.body.clear();
        response.headers.clear();
    }
    return {.response = std::move(response), .digest = digest, .omitted = is_omitted};
}

bool is_intact(const StoredResponse& stored) noexcept
{
    return stored.omitted || digest_of(stored.response) == stored.digest;
}

}  // namespace umavez
