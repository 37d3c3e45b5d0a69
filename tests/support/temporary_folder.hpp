#pragma once

// TemporaryFolder: a folder that nobody else has, gone with its object. ctest runs the cases of a program
// side by side, in processes of their own: a name that they share is a race. Confined to the test.

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace umavez::test {

class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw std::system_error{errno, std::generic_category(), pattern};
        }
        path_ = pattern;
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;  // what cannot be removed stays, and nothing depends on it
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

}  // namespace umavez::test
