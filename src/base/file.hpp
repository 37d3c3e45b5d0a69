#pragma once

// File: an open file, and the few things that uploads do with one: written without a name, read at any place,
// given a name for good.
//
// A file that has no name yet leaves nothing behind, however its process ends. Everything here
// blocks. A File is confined to its thread, but for the const functions.

#include <umavez/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace umavez {

class File {
public:
    explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
    ~File();
    File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    File& operator=(File&& other) noexcept
    {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

    // For reading.
    static Result<File> open(const std::string& path);

    // Empty, for reading and writing, on the file system of `folder`.
    static Result<File> make_unnamed(const std::string& folder);

    // At its end.
    Result<void> append(std::string_view bytes);

    // Fills `space` from `offset` on; tells how many bytes there were: fewer only at the end of the file.
    Result<std::size_t> read_at(std::uint64_t offset, std::span<char> space) const;

    Result<std::uint64_t> bytes() const;

    // Where others can open it for reading while this one is open, named or not.
    std::string path() const;

    // Makes its content durable and gives it the name `path`, which must be free, with all that a power cut
    // could take away again. On an error the name is not there.
    Result<void> keep_as(const std::string& path) const;

private:
    int descriptor_ = -1;
};

// The entries of a folder are durable when this returns.
Result<void> flush_folder(const std::string& folder);

// What the system said about a file, sorted by what can be done: limit_exceeded where the disk is full,
// not_found, else store_unavailable.
std::unexpected<Error> file_error(std::string_view what, const std::string& path, int reason);

}  // namespace umavez
