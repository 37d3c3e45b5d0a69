#include "database/sqlite/file_id.hpp"

#include <sys/stat.h>

namespace umavez {

std::optional<FileId> find_file_id(const std::string& path) noexcept
{
    struct ::stat status{};
    if (path.empty() || ::stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileId{status.st_dev, status.st_ino};
}

}  // namespace umavez
