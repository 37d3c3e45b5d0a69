#include "core/transition.hpp"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace umavez {
namespace {

void add(XXH3_state_t& state, std::string_view bytes)
{
    const std::uint64_t size = bytes.size();
    XXH3_128bits_update(&state, &size, sizeof size);
    XXH3_128bits_update(&state, bytes.data(), bytes.size());
}

// XXH3 rather than SHA-256: it guards against mistakes, not forgers, and costs 60 ns instead of 500.
std::array<std::uint8_t, 16> digest_of(const Response& response)
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    const std::int64_t status = response.status;
    XXH3_128bits_update(&state, &status, sizeof status);
    add(state, response.body);
    // The count keeps a last header apart from an entity of the same two texts.
    const std::uint64_t headers = response.headers.size();
    XXH3_128bits_update(&state, &headers, sizeof headers);
    for (const Header& header : response.headers) {
        add(state, header.name);
        add(state, header.value);
    }
    if (response.entity) {
        add(state, response.entity->type);
        add(state, response.entity->id);
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
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
    StoredResponse stored{.digest = digest_of(response)};
    if (kept_bytes(response) > response_bytes_max) {
        stored.omitted = true;
        response.body.clear();
        response.headers.clear();
    }
    stored.response = std::move(response);
    return stored;
}

bool is_intact(const StoredResponse& stored) noexcept
{
    return stored.omitted || digest_of(stored.response) == stored.digest;
}

}  // namespace umavez
