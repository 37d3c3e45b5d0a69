#include "http/inflate.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <new>
#include <zlib.h>

namespace umavez::http {
namespace {

// The window of 32 KiB, and a gzip header alone: zlib's own is not what the coding names.
constexpr int gzip_only = 15 + 16;
constexpr std::size_t piece_bytes = 16 * 1024;

Refusal malformed(const std::string& english, const std::string& portuguese)
{
    return {400, {"the body is not gzip: " + english, "o corpo não é gzip: " + portuguese}};
}

Refusal too_large()
{
    return {
        413,
        {"the body is too large when it is unpacked", "o corpo é grande demais quando descompactado"
        }
    };
}

}  // namespace

struct GzipInflater::Stream {
    Stream()
    {
        if (inflateInit2(&state, gzip_only) != Z_OK) throw std::bad_alloc{};
    }
    ~Stream() { inflateEnd(&state); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    z_stream state{};
};

GzipInflater::GzipInflater(std::uint64_t bytes_max)
    : stream_(std::make_unique<Stream>()), buffer_(piece_bytes), bytes_left_(bytes_max)
{
}

GzipInflater::~GzipInflater() = default;
GzipInflater::GzipInflater(GzipInflater&&) noexcept = default;

std::optional<Refusal> GzipInflater::put(std::string_view packed, const Out& out)
{
    UMAVEZ_ASSERT(packed.size() <= UINT32_MAX);
    z_stream& stream = stream_->state;
    // zlib promises not to write there.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    do {
        if (at_end_of_member_) {
            if (stream.avail_in == 0) break;
            if (inflateReset(&stream) != Z_OK)
                return malformed("it cannot be read on", "não se pode continuar a lê-lo");
            at_end_of_member_ = false;
        }
        stream.next_out = reinterpret_cast<Bytef*>(buffer_.data());
        stream.avail_out = static_cast<uInt>(buffer_.size());
        const int result = inflate(&stream, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR) throw std::bad_alloc{};
        const std::size_t size = buffer_.size() - stream.avail_out;
        if (size > bytes_left_) return too_large();
        bytes_left_ -= size;
        if (size > 0) {
            if (auto refusal = out({buffer_.data(), size})) return refusal;
        }
        if (result == Z_BUF_ERROR) break;  // it needs more
        at_end_of_member_ = result == Z_STREAM_END;
        if (!at_end_of_member_ && result != Z_OK)
            return malformed("it is damaged", "está danificado");
    } while (stream.avail_in > 0 || stream.avail_out == 0);
    return std::nullopt;
}

std::optional<Refusal> GzipInflater::finish() const
{
    if (at_end_of_member_) return std::nullopt;
    return malformed("it breaks off", "está incompleto");
}

std::variant<std::string, Refusal> inflate_gzip(std::string_view packed, std::size_t bytes_max)
{
    std::string plain;
    GzipInflater inflater{bytes_max};
    const auto append = [&plain](std::string_view piece) -> std::optional<Refusal> {
        plain += piece;
        return std::nullopt;
    };
    if (auto refusal = inflater.put(packed, append)) return *std::move(refusal);
    if (auto refusal = inflater.finish()) return *std::move(refusal);
    return plain;
}

}  // namespace umavez::http
