#include "http/inflate.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <new>
#include <zlib.h>

namespace umavez::http {
namespace {

// The window of 32 KiB, and a gzip header alone: zlib's own is not what the coding names.
constexpr int gzip_only = 15 + 16;
constexpr std::size_t first_bytes = 16 * 1024;

class Inflater {
public:
    explicit Inflater(std::string_view packed)
    {
        // zlib promises not to write there.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
        stream_.avail_in = static_cast<uInt>(packed.size());
        if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc{};
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    bool has_more() const noexcept { return stream_.avail_in > 0; }
    bool begin_member() { return inflateReset(&stream_) == Z_OK; }

    // Fills `out` as far as it goes; tells how many bytes were written.
    std::size_t fill(char* out, std::size_t bytes, int& result)
    {
        stream_.next_out = reinterpret_cast<Bytef*>(out);
        stream_.avail_out = static_cast<uInt>(bytes);
        result = inflate(&stream_, Z_NO_FLUSH);
        return bytes - stream_.avail_out;
    }

private:
    z_stream stream_{};
};

Refusal malformed(const std::string& english, const std::string& portuguese)
{
    return {400, {"the body is not gzip: " + english, "o corpo não é gzip: " + portuguese}};
}

}  // namespace

std::variant<std::string, Refusal> inflate_gzip(std::string_view packed, std::size_t bytes_max)
{
    UMAVEZ_ASSERT(packed.size() <= UINT32_MAX && bytes_max < UINT32_MAX);
    Inflater inflater{packed};
    std::string plain;
    std::size_t size = 0;
    for (;;) {
        // One byte more than allowed, so that a body of exactly the limit can be told from a larger
        // one.
        if (size == plain.size()) {
            plain.resize(std::min(std::max(first_bytes, 2 * size), bytes_max + 1));
        }
        int result = Z_OK;
        size += inflater.fill(plain.data() + size, plain.size() - size, result);
        if (size > bytes_max) {
            return Refusal{
                413,
                {"the body is too large when it is unpacked",
                 "o corpo é grande demais quando descompactado"}
            };
        }
        if (result == Z_STREAM_END) {
            if (!inflater.has_more()) break;
            if (!inflater.begin_member())
                return malformed("it cannot be read on", "não se pode continuar a lê-lo");
            continue;
        }
        if (result == Z_MEM_ERROR) throw std::bad_alloc{};
        if (result == Z_BUF_ERROR ||
            (result == Z_OK && !inflater.has_more() && size < plain.size())) {
            return malformed("it breaks off", "está incompleto");
        }
        if (result != Z_OK) return malformed("it is damaged", "está danificado");
    }
    plain.resize(size);
    return plain;
}

}  // namespace umavez::http
