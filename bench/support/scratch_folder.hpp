#pragma once

// ScratchFolder: a folder on a real disk that goes with its object. A flush to a tmpfs costs nothing and so
// proves nothing: there the constructor stops the program. Immutable after construction.

#include <filesystem>
#include <string>

namespace umavez::bench {

class ScratchFolder {
public:
    // Under UMAVEZ_BENCH_FOLDER, or else /var/tmp.
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::string file(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

}  // namespace umavez::bench
