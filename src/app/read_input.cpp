#include "app/read_input.hpp"

#include "base/shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace umavez {
namespace {

constexpr std::size_t bytes_per_read = 256 * 1024;

class InputFile {
public:
    // With patience the opening of a pipe must not wait for its writer.
    InputFile(const std::string& name, std::optional<std::chrono::milliseconds> patience)
        : is_standard_(name == "-"),
          patience_(patience),
          descriptor_(
              is_standard_
                  ? STDIN_FILENO
                  : ::open(name.c_str(), O_RDONLY | O_CLOEXEC | (patience ? O_NONBLOCK : 0))
          )
    {
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile()
    {
        if (!is_standard_ && descriptor_ >= 0) ::close(descriptor_);
    }

    bool is_open() const noexcept { return descriptor_ >= 0; }

    // How much an ordinary file holds; 0 where nobody knows before the end.
    std::size_t known_size() const noexcept
    {
        struct stat status{};
        if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
        return static_cast<std::size_t>(status.st_size);
    }

    // As read(2), without interruptions; ETIMEDOUT where nothing came.
    ssize_t read(char* into, std::size_t size) const noexcept
    {
        while (true) {
            if (!await_input()) return -1;
            const ssize_t got = ::read(descriptor_, into, size);
            if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
        }
    }

private:
    bool await_input() const noexcept
    {
        if (!patience_) return true;
        pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(patience_->count()));
        if (ready == 0) errno = ETIMEDOUT;
        return ready > 0 || (ready < 0 && errno == EINTR);
    }

    const bool is_standard_;
    const std::optional<std::chrono::milliseconds> patience_;
    const int descriptor_;
};

std::unexpected<Error> fail_with_errno(const std::string& name)
{
    return fail(
        Errc::invalid_argument, fmt::format("cannot read {}: {}", shown(name), std::strerror(errno))
    );
}

}  // namespace

Result<std::string> read_input(
    const std::string& name,
    std::size_t bytes_max,
    std::optional<std::chrono::milliseconds> patience
)
{
    const InputFile file{name, patience};
    if (!file.is_open()) return fail_with_errno(name);
    const std::size_t known_size = std::min(file.known_size(), bytes_max);
    std::string text;
    std::size_t used = 0;
    for (;;) {
        // One byte more than there should be shows the end, or that there is none.
        if (text.size() == used) text.resize(std::max(used + bytes_per_read, known_size + 1));
        const ssize_t got = file.read(text.data() + used, text.size() - used);
        if (got < 0) return fail_with_errno(name);
        if (got == 0) break;
        used += static_cast<std::size_t>(got);
        if (used <= bytes_max) continue;
        return fail(
            Errc::limit_exceeded,
            fmt::format("{} is larger than {} MiB, which is the most", shown(name), bytes_max >> 20)
        );
    }
    text.resize(used);
    return text;
}

}  // namespace umavez
