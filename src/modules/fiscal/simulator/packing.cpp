#include "modules/fiscal/simulator/packing.hpp"

#include "http/inflate.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <new>
#include <variant>
#include <zlib.h>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::size_t plain_bytes_max = std::size_t{4} * 1024 * 1024;
constexpr int gzip_window = 15 + 16;

const unsigned char* bytes_of(std::string_view text)
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string encode_base64(std::string_view bytes)
{
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL writes a zero behind it
    const int written = EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(text.data()),
        bytes_of(bytes),
        static_cast<int>(bytes.size())
    );
    text.resize(static_cast<std::size_t>(written));
    return text;
}

std::optional<std::string> decode_base64(std::string_view text)
{
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t padding = text.size() - std::min(text.find('='), text.size());
    if (text.empty() || text.size() % 4 != 0 || padding > 2) return std::nullopt;
    const std::string_view digits = text.substr(0, text.size() - padding);
    if (digits.find_first_not_of(alphabet) != std::string_view::npos) return std::nullopt;
    if (text.substr(digits.size()).find_first_not_of('=') != std::string_view::npos) {
        return std::nullopt;
    }
    std::string bytes(text.size() / 4 * 3, '\0');
    const int written = EVP_DecodeBlock(
        reinterpret_cast<unsigned char*>(bytes.data()),
        bytes_of(text),
        static_cast<int>(text.size())
    );
    if (written < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(written) - padding);
    return bytes;
}

std::string zip(std::string_view plain)
{
    z_stream stream{};
    if (deflateInit2(&stream, 6, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::bad_alloc{};
    }
    std::string packed(deflateBound(&stream, plain.size()), '\0');
    stream.next_in = const_cast<Bytef*>(bytes_of(plain));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(packed.size() - stream.avail_out);
    deflateEnd(&stream);
    return packed;
}

std::optional<std::string> unzip(std::string_view packed)
{
    auto plain = http::inflate_gzip(packed, plain_bytes_max);
    if (auto* const text = std::get_if<std::string>(&plain)) return std::move(*text);
    return std::nullopt;
}

}  // namespace umavez::fiscal::simulator
