#include "database/sqlite/database_path.hpp"

#include "base/shown.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace umavez {
namespace {

std::unexpected<Error> refuse(std::string detail)
{
    return fail(Errc::misconfigured, std::move(detail));
}

Result<std::string> real_path(const std::string& path)
{
    char* const found = ::realpath(path.c_str(), nullptr);
    if (found == nullptr) return refuse(fmt::format("{}: {}", shown(path), std::strerror(errno)));
    std::string real{found};
    std::free(found);
    return real;
}

// The file may not be there yet; its directory must.
Result<std::string> resolve_missing(const std::string& path)
{
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (name.empty() || name == "." || name == "..") {
        return refuse(
            fmt::format("{} is a directory, not a database: name a file in it", shown(path))
        );
    }
    struct stat status{};
    if (::stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        return refuse(fmt::format(
            "the directory {} does not exist: create it, or choose another", shown(directory)
        ));
    }
    auto real = real_path(directory);
    if (real) *real += (*real == "/" ? "" : "/") + name;
    return real;
}

// Whether something is mounted on the file itself, as containers do with single files.
bool is_mount_root(const std::string& path)
{
    struct statx status{};
    const bool is_known = ::statx(AT_FDCWD, path.c_str(), 0, 0, &status) == 0;
    return is_known && (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

Result<void> check_one_name(const std::string& path, nlink_t names)
{
    if (names > 1) {
        return refuse(fmt::format(
            "{} has {} names (hard links), and the lock guards only one: find -samefile shows the "
            "others; remove them, or copy the file",
            shown(path),
            names
        ));
    }
    if (is_mount_root(path)) {
        return refuse(fmt::format(
            "{} is mounted as a single file, and its lock and log are not beside it: mount its "
            "directory instead",
            shown(path)
        ));
    }
    return {};
}

}  // namespace

Result<std::string> resolve_database_path(const std::string& path, bool must_exist)
{
    struct stat status{};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (!exists && errno != ENOENT) {
        return refuse(fmt::format("{} cannot be reached: {}", shown(path), std::strerror(errno)));
    }
    if (!exists && must_exist) {
        return refuse(fmt::format("there is no database {}: check the path", shown(path)));
    }
    if (exists && S_ISDIR(status.st_mode)) {
        return refuse(
            fmt::format("{} is a directory, not a database: name a file in it", shown(path))
        );
    }
    if (exists && !S_ISREG(status.st_mode)) {
        return refuse(fmt::format("{} is not an ordinary file: choose another path", shown(path)));
    }
    if (!exists && ::lstat(path.c_str(), &status) == 0) {
        return refuse(fmt::format(
            "{} is a link to a file that does not exist: remove the link, or name the file itself",
            shown(path)
        ));
    }
    auto resolved = exists ? real_path(path) : resolve_missing(path);
    if (!resolved) return resolved;
    if (exists) {
        if (auto checked = check_one_name(*resolved, status.st_nlink); !checked) {
            return std::unexpected(checked.error());
        }
    }
    const std::string directory = resolved->substr(0, resolved->rfind('/') + 1);
    struct statfs filesystem{};
    const bool is_known = ::statfs(directory.c_str(), &filesystem) == 0;
    if (is_known && is_network_filesystem(static_cast<long>(filesystem.f_type))) {
        return refuse(fmt::format(
            "{} is on a network filesystem, whose locks SQLite cannot trust: use a local disk",
            shown(*resolved)
        ));
    }
    return resolved;
}

Result<void> create_database_file(const std::string& path)
{
    // O_EXCL: a file that SQLite may have open in this process is never opened here, because
    // closing it again would drop SQLite's locks.
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (descriptor < 0) {
        if (errno == EEXIST) return {};
        return refuse(fmt::format(
            "cannot create {}: {}; check the rights of its directory",
            shown(path),
            std::strerror(errno)
        ));
    }
    ::close(descriptor);
    return {};
}

bool is_network_filesystem(long magic) noexcept
{
    switch (static_cast<unsigned long>(magic) & 0xffffffffUL) {
        case 0x6969UL:      // NFS
        case 0x517bUL:      // SMB
        case 0xfe534d42UL:  // SMB2
        case 0xff534d42UL:  // CIFS
        case 0x65735546UL:  // FUSE: sshfs, s3fs and others that cannot be told apart
        case 0x01021997UL:  // 9P
        case 0x00c36400UL:  // Ceph
        case 0x47504653UL:  // GPFS
        case 0x0bd00bd0UL:  // Lustre
        case 0x5346414fUL:  // AFS
        case 0x73757245UL:  // Coda
            return true;
        default: return false;
    }
}

}  // namespace umavez
