#include "base/file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace umavez {
namespace {

constexpr std::size_t piece_bytes = 64 * 1024;

// File systems that cannot make a file without a name: one whose name is taken away at once.
Result<File> make_nameless(const std::string& folder)
{
    std::string path = folder + "/.unnamed-XXXXXX";
    const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) return file_error("make a file in", folder, errno);
    ::unlink(path.c_str());
    return File{descriptor};
}

Result<void> copy(const File& from, File& to)
{
    std::array<char, piece_bytes> piece;
    for (std::uint64_t offset = 0;;) {
        const auto got = from.read_at(offset, piece);
        if (!got) return std::unexpected(got.error());
        if (*got == 0) return {};
        if (auto written = to.append({piece.data(), *got}); !written) return written;
        offset += *got;
    }
}

// Where a file that lost its name, or lies on another file system, cannot be given one: a copy of it.
Result<void> keep_copy(const File& file, const std::string& path)
{
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0) return file_error("make", path, errno);
    File kept{descriptor};
    auto done = copy(file, kept);
    if (done && ::fsync(descriptor) != 0) done = file_error("flush", path, errno);
    if (!done) ::unlink(path.c_str());
    return done;
}

}  // namespace

File::~File()
{
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<File> File::open(const std::string& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return file_error("open", path, errno);
    return File{descriptor};
}

Result<File> File::make_unnamed(const std::string& folder)
{
    const int descriptor =
        ::open(folder.c_str(), O_RDWR | O_APPEND | O_TMPFILE | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor >= 0) return File{descriptor};
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) return make_nameless(folder);
    return file_error("make a file in", folder, errno);
}

Result<void> File::append(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return file_error("write", path(), errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<char> space) const
{
    std::size_t count = 0;
    while (count < space.size()) {
        const ssize_t got = ::pread(
            descriptor_,
            space.data() + count,
            space.size() - count,
            static_cast<off_t>(offset + count)
        );
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_error("read", path(), errno);
        if (got == 0) break;
        count += static_cast<std::size_t>(got);
    }
    return count;
}

Result<std::uint64_t> File::bytes() const
{
    struct stat facts{};
    if (::fstat(descriptor_, &facts) != 0) return file_error("look at", path(), errno);
    return static_cast<std::uint64_t>(facts.st_size);
}

std::string File::path() const
{
    return fmt::format("/proc/self/fd/{}", descriptor_);
}

Result<void> File::keep_as(const std::string& path) const
{
    if (::fsync(descriptor_) != 0) return file_error("flush", path, errno);
    const std::string nameless = this->path();
    if (::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        if (errno == EEXIST) return file_error("name", path, errno);
        if (auto copied = keep_copy(*this, path); !copied) return copied;
    }
    auto flushed = flush_folder(std::filesystem::path{path}.parent_path().string());
    if (!flushed) ::unlink(path.c_str());
    return flushed;
}

Result<void> flush_folder(const std::string& folder)
{
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return file_error("open", folder, errno);
    const File opened{descriptor};
    if (::fsync(descriptor) != 0) return file_error("flush", folder, errno);
    return {};
}

std::unexpected<Error> file_error(std::string_view what, const std::string& path, int reason)
{
    Errc code = Errc::store_unavailable;
    if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) code = Errc::limit_exceeded;
    if (reason == ENOENT) code = Errc::not_found;
    return fail(code, fmt::format("cannot {} {}: {}", what, path, std::strerror(reason)));
}

}  // namespace umavez
