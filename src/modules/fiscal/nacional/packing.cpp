#include "modules/fiscal/nacional/packing.hpp"

#include "base/assert.hpp"
#include "base/base64.hpp"
#include "http/inflate.hpp"

#include <variant>
#include <zlib.h>

namespace umavez::fiscal::nacional {
namespace {

constexpr int gzip_window = 15 + 16;
constexpr std::string_view gzip_magic = "\x1f\x8b";

}  // namespace

std::string pack(std::string_view xml)
{
    z_stream stream{};
    UMAVEZ_ASSERT(
        deflateInit2(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY
        ) == Z_OK
    );
    std::string packed(deflateBound(&stream, xml.size()), '\0');
    // zlib promises not to write there.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(xml.data()));
    stream.avail_in = static_cast<uInt>(xml.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    const int result = deflate(&stream, Z_FINISH);
    packed.resize(packed.size() - stream.avail_out);
    deflateEnd(&stream);
    UMAVEZ_ASSERT(result == Z_STREAM_END);
    return to_base64(packed);
}

Result<std::string> unpack(std::string_view text)
{
    auto bytes = parse_base64(text);
    if (bytes && !bytes->starts_with(gzip_magic)) bytes = parse_base64(*bytes);
    if (!bytes) return fail(Errc::invalid_argument, "it is no base64");
    auto plain = http::inflate_gzip(*bytes, unpacked_bytes_max);
    if (auto* const xml = std::get_if<std::string>(&plain)) return std::move(*xml);
    return fail(Errc::invalid_argument, "it is no gzip");
}

}  // namespace umavez::fiscal::nacional
