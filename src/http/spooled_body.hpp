#pragma once

// SpooledBody: the body of an upload, in a file instead of memory. The file has no name until it is
// kept, so it is gone with its last holder, and with the process. Immutable; const functions are
// thread-safe.

#include "base/file.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace umavez::http {

class SpooledBody {
public:
    // `file` is complete and has `bytes`.
    SpooledBody(File file, std::uint64_t bytes) noexcept : file_(std::move(file)), bytes_(bytes) {}

    const File& file() const noexcept { return file_; }
    std::uint64_t bytes() const noexcept { return bytes_; }

    // To be opened for reading while this object is there.
    std::string path() const { return file_.path(); }

    // Flushes it and gives it the name `path`; durable when this returns. Blocks: never on a thread of the
    // server.
    Result<void> keep_as(const std::string& path) const { return file_.keep_as(path); }

private:
    File file_;
    std::uint64_t bytes_;
};

}  // namespace umavez::http
