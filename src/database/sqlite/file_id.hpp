#pragma once

// FileId: which file has a name now. A copy under the same name is another file. Plain value.

#include <optional>
#include <string>
#include <sys/types.h>

namespace umavez {

struct FileId {
    dev_t device = 0;
    ino_t inode = 0;
    friend bool operator==(const FileId&, const FileId&) = default;
};

// Nullopt: there is none, or nobody can tell.
std::optional<FileId> find_file_id(const std::string& path) noexcept;

}  // namespace umavez
