#pragma once

// FileLock: `<database>.lock`, held by the one process that may write to the database.
//
// The lock is on a file of its own: opening and closing the database file itself would drop
// SQLite's POSIX locks. The file holds the id of its holder as text and stays when the lock is
// released, so that nobody ever locks a file that has lost its name. Confined to its owner.

#include <umavez/result.hpp>

#include <string>
#include <utility>

namespace umavez {

class FileLock {
public:
    // Fails at once if somebody holds it; the error names that process.
    static Result<FileLock> acquire(const std::string& database_path);

    FileLock() noexcept = default;
    FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    FileLock& operator=(FileLock&& other) noexcept
    {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~FileLock();

private:
    explicit FileLock(int descriptor) noexcept : descriptor_(descriptor) {}
    int descriptor_ = -1;
};

}  // namespace umavez
