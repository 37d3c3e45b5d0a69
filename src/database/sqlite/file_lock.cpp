#include "database/sqlite/file_lock.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace umavez {
namespace {

std::string read_holder(int descriptor)
{
    std::array<char, 32> text{};
    const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
    std::string holder{text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
    holder.erase(holder.find_last_not_of(" \n") + 1);
    // Whoever holds the lock has not written its id yet, or somebody else wrote into the file.
    const bool is_number =
        !holder.empty() && holder.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? "process " + holder : "another process";
}

bool write_holder(int descriptor)
{
    const std::string text = fmt::format("{}\n", ::getpid());
    return ::ftruncate(descriptor, 0) == 0 &&
           ::pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::string& database_path)
{
    const std::string path = database_path + ".lock";
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (descriptor < 0) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "cannot write {}: {}; the directory of the database must be writable",
                path,
                std::strerror(errno)
            )
        );
    }
    FileLock lock{descriptor};
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
            return fail(
                Errc::misconfigured, fmt::format("cannot lock {}: {}", path, std::strerror(errno))
            );
        }
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{} is in use by {}: stop it first; several processes need PostgreSQL (postgres:)",
                database_path,
                read_holder(descriptor)
            )
        );
    }
    // The id is for people: a full disk must not keep the database shut, or nobody could free space
    // in it.
    static_cast<void>(write_holder(descriptor));
    return lock;
}

FileLock::~FileLock()
{
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace umavez
