#include "support/scratch_folder.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <system_error>

namespace umavez::bench {
namespace {

[[noreturn]] void stop(const std::string& why)
{
    fmt::print(stderr, "{}; set UMAVEZ_BENCH_FOLDER to a folder on a disk\n", why);
    std::exit(EXIT_FAILURE);
}

}  // namespace

ScratchFolder::ScratchFolder()
{
    const char* const given = std::getenv("UMAVEZ_BENCH_FOLDER");
    std::string name = fmt::format("{}/umavez-bench-XXXXXX", given != nullptr ? given : "/var/tmp");
    if (::mkdtemp(name.data()) == nullptr) stop("cannot make a folder like " + name);
    path_ = name;
    struct statfs system {};
    if (::statfs(name.c_str(), &system) != 0 || system.f_type == TMPFS_MAGIC) {
        std::filesystem::remove(path_);
        stop(name + " is in memory");
    }
}

ScratchFolder::~ScratchFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace umavez::bench
