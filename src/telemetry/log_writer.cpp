#include "telemetry/log_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace umavez {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t waiting_bytes_max = 4 * 1024 * 1024;
constexpr std::size_t gathered_bytes_max = 64 * 1024;  // enough for one go
constexpr std::size_t kept_bytes_max = 256 * 1024;     // room that stays for the next ones
constexpr auto gather_time = 5ms;
constexpr auto flush_limit = 1s;
constexpr int look_ms = 100;  // how often a stuck writer looks whether it should end

}  // namespace

LogWriter::LogWriter(int descriptor, std::function<std::string(std::size_t)> tell_loss)
    : descriptor_(descriptor), tell_loss_(std::move(tell_loss)), thread_([this] { run(); })
{
}

LogWriter::~LogWriter()
{
    flush();
    {
        const std::lock_guard guard{mutex_};
        is_ending_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

void LogWriter::put(std::string_view line)
{
    const std::lock_guard guard{mutex_};
    if (waiting_.size() + line.size() >= waiting_bytes_max) {
        ++dropped_;
        return;
    }
    const std::size_t before = waiting_.size();
    waiting_ += line;
    waiting_ += '\n';
    const bool is_enough = before < gathered_bytes_max && waiting_.size() >= gathered_bytes_max;
    if (before == 0 || is_enough) changed_.notify_all();
}

void LogWriter::flush()
{
    std::unique_lock lock{mutex_};
    is_hurried_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, flush_limit, [this] { return waiting_.empty() && !is_writing_; });
}

void LogWriter::run()
{
    std::string lines;  // takes turns with waiting_, so that neither grows anew
    std::unique_lock lock{mutex_};
    for (;;) {
        changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        changed_.wait_for(lock, gather_time, [this] {
            return is_ending_ || is_hurried_ || waiting_.size() >= gathered_bytes_max;
        });
        is_hurried_ = false;
        lines.clear();
        if (lines.capacity() > kept_bytes_max) std::string{}.swap(lines);  // assigning keeps the room
        lines.swap(waiting_);
        const std::size_t dropped = std::exchange(dropped_, 0);
        is_writing_ = true;
        lock.unlock();
        if (dropped > 0) lines += tell_loss_(dropped) + '\n';
        write(lines);
        lock.lock();
        is_writing_ = false;
        changed_.notify_all();
        if (is_ending_) return;
    }
}

// A pipe that is ready takes PIPE_BUF bytes without waiting; the descriptor is not ours to be made
// non-blocking.
void LogWriter::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        pollfd wait{descriptor_, POLLOUT, 0};
        const int ready = ::poll(&wait, 1, look_ms);
        if (ready < 0 && errno != EINTR) return;
        if (ready <= 0) {
            const std::lock_guard guard{mutex_};
            if (is_ending_) return;
            continue;
        }
        const std::size_t count = std::min<std::size_t>(bytes.size(), PIPE_BUF);
        const ssize_t written = ::write(descriptor_, bytes.data(), count);
        if (written < 0 && errno != EINTR && errno != EAGAIN) return;  // nobody is there to be told
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace umavez
