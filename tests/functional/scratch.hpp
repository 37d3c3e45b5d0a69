#pragma once

// Scratch: a directory of a test's own, gone with it. Confined to its thread.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace umavez::functional {

class Scratch {
public:
    Scratch()
    {
        std::string made = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("no temporary directory");
        path_ = made;
    }
    ~Scratch()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::string& path() const noexcept { return path_; }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream{path_ + "/" + name, std::ios::binary} << text;
    }

private:
    std::string path_;
};

}  // namespace umavez::functional
