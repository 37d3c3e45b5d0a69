#include "database/sqlite/log_copier.hpp"

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "base/pause.hpp"
#include "database/sqlite/copier_vfs.hpp"
#include "database/sqlite/tuning.hpp"

#include <fmt/format.h>

#include <pthread.h>
#include <system_error>
#include <utility>

namespace umavez {

Result<std::unique_ptr<LogCopier>> LogCopier::open(ConnectionOptions options)
{
    options.role = ConnectionRole::copier;
    auto connection = Connection::open(options);
    if (!connection) return std::unexpected(std::move(connection.error()));
    try {
        return std::unique_ptr<LogCopier>{new LogCopier{std::move(*connection)}};
    } catch (const std::system_error& error) {
        return fail(
            Errc::store_unavailable,
            fmt::format("no thread for copies of the log: {}", error.what())
        );
    }
}

LogCopier::LogCopier(std::unique_ptr<Connection> connection) : connection_(std::move(connection))
{
    thread_ = std::thread{[this] { loop(); }};
    pthread_setname_np(thread_.native_handle(), "umavez-copier");
}

LogCopier::~LogCopier()
{
    {
        const std::lock_guard guard{mutex_};
        is_closed_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

void LogCopier::start(int pages)
{
    UMAVEZ_ASSERT(!is_busy());
    const std::lock_guard guard{mutex_};
    pages_ = pages;
    result_.reset();
    is_busy_.store(true, std::memory_order_relaxed);
    changed_.notify_all();
}

void LogCopier::wait()
{
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return !is_busy(); });
}

std::optional<Result<LogCopy>> LogCopier::take_result()
{
    if (is_busy()) return std::nullopt;
    return std::exchange(result_, std::nullopt);
}

// SQLite also says that it is busy where it looked at the index while the lane wrote there.
Result<LogCopy> LogCopier::copy(int portion_bytes)
{
    for (std::size_t attempt = 1;; ++attempt) {
        prepare_copy(portion_bytes);
        auto copied = connection_->checkpoint(CheckpointMode::passive);
        const bool is_busy = !copied && copied.error().code == Errc::busy;
        if (!is_busy || attempt == limits::batch_retries_max) return copied;
        pause_up_to(tuning::retry_pause_most);
    }
}

void LogCopier::loop()
{
    std::unique_lock lock{mutex_};
    while (true) {
        changed_.wait(lock, [this] { return is_busy() || is_closed_; });
        if (!is_busy()) return;
        const int portion_bytes = tuning::portion_pages(pages_) * tuning::page_bytes;
        lock.unlock();
        result_ = copy(portion_bytes);
        lock.lock();
        is_busy_.store(false, std::memory_order_release);
        changed_.notify_all();
    }
}

}  // namespace umavez
