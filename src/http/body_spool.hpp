#pragma once

// BodySpool: the bytes of one upload on their way into a file, unpacked where they came packed. It
// holds a few kilobytes however large the body is. Writes go to the page cache and nothing is
// flushed here. Confined to its connection.

#include "base/file.hpp"
#include "http/framing.hpp"
#include "http/inflate.hpp"
#include "http/spooled_body.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::http {

class BodySpool {
public:
    // The file is made with the first byte. `bytes_max`: unpacked.
    BodySpool(std::string folder, std::uint64_t bytes_max) noexcept
        : folder_(std::move(folder)), bytes_max_(bytes_max)
    {
    }

    // Before the first byte: what comes is gzip.
    void unpack_gzip() { inflater_.emplace(bytes_max_); }

    // A refusal is 413, 400 (not gzip), or 503 where the disk does not take it: nothing was done then.
    std::optional<Refusal> put(std::string_view bytes);
    std::optional<Refusal> finish();

    // After finish().
    std::shared_ptr<SpooledBody> take();

    std::uint64_t bytes_max() const noexcept { return bytes_max_; }
    std::uint64_t bytes() const noexcept { return bytes_; }  // in the file
    // Of a 503, for operators.
    const std::string& trouble() const noexcept { return trouble_; }

private:
    std::optional<Refusal> write(std::string_view bytes);
    std::optional<Refusal> open();
    Refusal on_error(const Error& error);

    std::string folder_;
    std::uint64_t bytes_max_;
    std::optional<GzipInflater> inflater_;
    std::optional<File> file_;
    std::uint64_t bytes_ = 0;
    std::string trouble_;
};

}  // namespace umavez::http
