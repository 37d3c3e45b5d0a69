// Hostile gzip: what a body claims to be when it says Content-Encoding: gzip.
//
// An input is a byte of options and bytes. They are taken as a gzip file as they are, and as one deflate
// stream that is put into a right gzip file, whose checksum a fuzzer would never guess. Checked: a second
// reader, which unpacks each member in one call, finds the same plain bytes; whole, byte by byte and in
// pieces they are the same; and never comes a byte beyond the limit.

#include "fuzz/reference_http.hpp"
#include "http/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <zlib.h>

namespace {

using namespace umavez;
using namespace umavez::http;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

struct Outcome {
    std::optional<std::string> plain;
    int status = 0;
    std::string reason;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome to_outcome(const Refusal& refusal)
{
    require(refusal.status == 400 || refusal.status == 413, "a refusal has its status");
    return {std::nullopt, refusal.status, refusal.reason.english};
}

Outcome unpack(std::string_view packed, std::size_t bytes_max, std::size_t step)
{
    GzipInflater inflater{bytes_max};
    std::string plain;
    const auto out = [&](std::string_view piece) -> std::optional<Refusal> {
        plain += piece;
        require(plain.size() <= bytes_max, "no byte comes beyond the limit");
        return std::nullopt;
    };
    while (!packed.empty()) {
        if (const auto refusal = inflater.put(packed.substr(0, step), out))
            return to_outcome(*refusal);
        packed.remove_prefix(std::min(step, packed.size()));
    }
    if (const auto refusal = inflater.finish()) return to_outcome(*refusal);
    return {std::move(plain), 0, {}};
}

void check(std::string_view packed, std::size_t bytes_max, std::size_t step)
{
    const auto result = inflate_gzip(packed, bytes_max);
    const Refusal* const refusal = std::get_if<Refusal>(&result);
    const Outcome whole =
        refusal != nullptr ? to_outcome(*refusal) : Outcome{std::get<std::string>(result), 0, {}};
    require(unpack(packed, bytes_max, 1) == whole, "byte by byte it is the same");
    require(unpack(packed, bytes_max, step) == whole, "in pieces it is the same");
    require(reference::gunzip(packed, bytes_max) == whole.plain, "a second reader finds the same");
}

void append_little(std::string& text, std::uint32_t value)
{
    for (unsigned shift = 0; shift < 32; shift += 8)
        text += static_cast<char>(value >> shift & 0xffU);
}

// A gzip file around one deflate stream; what is left of the bytes follows it. Nullopt: it has no end.
std::optional<std::string> to_gzip(std::string_view bytes)
{
    z_stream stream{};
    require(inflateInit2(&stream, -15) == Z_OK, "zlib has memory");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string plain(40'000, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(plain.data());
    stream.avail_out = static_cast<uInt>(plain.size());
    const int result = inflate(&stream, Z_FINISH);
    plain.resize(stream.total_out);
    const std::size_t used = stream.total_in;
    inflateEnd(&stream);
    if (result != Z_STREAM_END) return std::nullopt;
    std::string file{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10};
    file += bytes.substr(0, used);
    const auto* const data = reinterpret_cast<const Bytef*>(plain.data());
    append_little(file, static_cast<std::uint32_t>(crc32_z(0, data, plain.size())));
    append_little(file, static_cast<std::uint32_t>(plain.size()));
    file += bytes.substr(used);
    return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    // '0' to '3' in a seed.
    constexpr std::array<std::size_t, 4> limits{20'000, 0, 5, 16'384};
    const std::size_t bytes_max = limits.at(data[0] & 3U);
    const std::size_t step = 2 + data[0] / 4U;
    check(bytes, bytes_max, step);
    if (const auto file = to_gzip(bytes)) {
        check(*file, bytes_max, step);
        check(*file + *file, bytes_max, step);
    }
    return 0;
}
