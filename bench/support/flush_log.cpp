#include "support/flush_log.hpp"

#include "support/comparison.hpp"
#include "support/requests.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace umavez::bench {
namespace {

constexpr long file_bytes = 16 << 20;
constexpr std::size_t frame_bytes = 300;

}  // namespace

FlushLog::FlushLog(const std::string& path) : file_(::open(path.c_str(), O_CREAT | O_RDWR, 0600))
{
    // Real zeroes rather than fallocate: overwriting them later changes no metadata.
    const std::vector<char> zeroes(file_bytes);
    const ssize_t written = ::write(file_, zeroes.data(), zeroes.size());
    if (written != file_bytes || ::fsync(file_) != 0) give_up("cannot preallocate " + path);
}

FlushLog::~FlushLog()
{
    ::close(file_);
}

double FlushLog::p50(std::chrono::milliseconds window)
{
    using Clock = std::chrono::steady_clock;
    const std::vector<char> frame(frame_bytes, 'x');
    const auto ends_at = Clock::now() + window;
    std::vector<double> micros;
    while (Clock::now() < ends_at) {
        if (offset_ + static_cast<long>(frame.size()) > file_bytes) offset_ = 0;
        const auto started_at = Clock::now();
        const ssize_t written = ::pwrite(file_, frame.data(), frame.size(), offset_);
        if (written < 0 || ::fdatasync(file_) != 0) give_up("cannot write the log");
        micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - started_at).count());
        offset_ += written;
    }
    return median(std::move(micros));
}

}  // namespace umavez::bench
